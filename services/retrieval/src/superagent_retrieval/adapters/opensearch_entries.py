"""What the keyword index keeps of a parent, and the fields of OpenSearch that hold it."""

from __future__ import annotations

from typing import Any

from superagent_retrieval.adapters.keyword_analysis import analyse_passage
from superagent_retrieval.domain.records import DocumentAttributes, ParentText

Json = dict[str, Any]


def entry(parent: ParentText) -> Json:
    terms = analyse_passage(parent.text)
    headings = analyse_passage("\n".join(parent.heading_path)).words
    return {
        "parent_id": parent.parent_id,
        "document_id": parent.document_id,
        "generation": parent.generation,
        "text": terms.words,
        "characters": terms.characters,
        "heading_path": headings,
        **changeable(parent.title, headings, parent.attributes),
    }


def changeable(title: str, heading_path: str, attributes: DocumentAttributes) -> Json:
    """What changes with a document's metadata. heading_path: the terms that an entry has under this name."""
    return {
        "access": list(attributes.access.labels()),
        "domain": attributes.domain,
        "business_category": attributes.business_category,
        "tag": list(attributes.tags),
        "language": attributes.language,
        "heading": f"{analyse_passage(title).words} {heading_path}",
    }


def _key(*, sorted_by: bool = False) -> Json:
    return {"type": "keyword", "norms": False, "doc_values": sorted_by}


def _terms(options: str) -> Json:
    return {"type": "text", "analyzer": "whitespace", "index_options": options}


FIELDS: Json = {
    "parent_id": _key(sorted_by=True),
    "document_id": _key(sorted_by=True),
    "generation": _key(sorted_by=True),
    "access": _key(),
    "domain": _key(),
    "business_category": _key(),
    "tag": _key(),
    "language": _key(),
    "text": _terms("freqs"),
    "characters": _terms("docs"),
    # Kept as terms, so that another title can be written beside them.
    "heading_path": {"type": "keyword", "index": False, "doc_values": False},
    "heading": _terms("freqs"),
}
INDEX: Json = {
    "settings": {
        # Nothing is shown between two refreshes that were asked for.
        "refresh_interval": "-1",
        # tantivy's, which cannot be set there.
        "similarity": {"default": {"type": "BM25", "k1": 1.2, "b": 0.75}},
    },
    "mappings": {"dynamic": "strict", "properties": FIELDS},
}
