"""What a keyword index keeps of a parent, the same for every engine."""

from __future__ import annotations

from typing import Any

from superagent_retrieval.adapters.keyword_analysis import analyse_passage
from superagent_retrieval.domain.records import DocumentAttributes, ParentText


def entry(parent: ParentText) -> dict[str, Any]:
    """The fields of a parent by name, analysed; `parent_id` is the key."""
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


def changeable(title: str, heading_path: str, attributes: DocumentAttributes) -> dict[str, Any]:
    """What changes with a document's metadata. heading_path: the terms that an entry has under this name."""
    return {
        "access": list(attributes.access.labels()),
        "domain": attributes.domain,
        "business_category": attributes.business_category,
        "tag": list(attributes.tags),
        "language": attributes.language,
        "heading": f"{analyse_passage(title).words} {heading_path}",
    }
