"""The fields of OpenSearch that hold what `keyword_entries` makes of a parent."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


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
