"""All that a child is filtered by, as one list of labels: every field that Qdrant indexes costs memory and waits for disk.

A document carries its labels; a search asks for any of each kind that it names.
"""

from __future__ import annotations

from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.domain.records import DocumentAttributes, SearchFilters

LABELS_FIELD = "labels"
# Those of access begin otherwise.
_DOCUMENT, _DOMAIN, _CATEGORY, _TAG, _LANGUAGE = "document=", "domain=", "category=", "tag=", "language="


def labels(document_id: str, attributes: DocumentAttributes) -> list[str]:
    """What the children of a document carry."""
    return [
        *attributes.access.labels(),
        document_label(document_id),
        _DOMAIN + attributes.domain,
        _CATEGORY + attributes.business_category,
        *(_TAG + tag for tag in attributes.tags),
        _LANGUAGE + attributes.language,
    ]


def document_label(document_id: str) -> str:
    return _DOCUMENT + document_id


def wanted_labels(scope: AccessScope, filters: SearchFilters) -> list[list[str]]:
    """A child is found when it carries one label of each of these lists; the first is what the person may read."""
    narrowing = (
        [_DOMAIN + value for value in filters.domains],
        [_CATEGORY + value for value in filters.business_categories],
        [_TAG + value for value in filters.tags],
        [_LANGUAGE + value for value in filters.languages],
        [document_label(value) for value in filters.document_ids],
    )
    return [list(scope.labels()), *(values for values in narrowing if values)]
