from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superagent_retrieval.domain.access import AccessScope, DocumentAccess
from superagent_retrieval.domain.records import DocumentAttributes, SearchFilters

# Names that are also kinds of label, so that a mix-up of the two shows.
names = st.sampled_from(["ann", "bob", "public", "owner:ann", "tag:ann", "owner:", "sales", "sales/eu"])
accesses = st.builds(DocumentAccess, names, st.none() | names, st.booleans())
scopes = st.builds(AccessScope, names, st.frozensets(names, max_size=4))


@given(scopes, accesses)
def test_labels_meet_exactly_where_the_rule_admits(scope: AccessScope, access: DocumentAccess) -> None:
    assert (not set(scope.labels()).isdisjoint(access.labels())) is scope.admits(access)


def test_equal_scopes_ask_for_the_same_labels_in_the_same_order() -> None:
    tags = ["sales", "law", "eu", "us"]
    assert AccessScope("ann", frozenset(tags)).labels() == (
        "public",
        "owner:ann",
        "tag:eu",
        "tag:law",
        "tag:sales",
        "tag:us",
    )


@pytest.mark.parametrize(
    ("access", "admitted"),
    [
        (DocumentAccess("ann", None, False), True),
        (DocumentAccess("bob", None, False), False),
        (DocumentAccess("bob", None, True), True),
        (DocumentAccess("bob", "sales", False), True),
        (DocumentAccess("bob", "law", False), False),
    ],
)
def test_own_public_and_covered_documents_are_admitted(access: DocumentAccess, admitted: bool) -> None:
    assert AccessScope("ann", frozenset(["sales"])).admits(access) is admitted


def test_nobody_and_nothing_have_no_name() -> None:
    with pytest.raises(ValueError):
        AccessScope("")
    with pytest.raises(ValueError):
        AccessScope("ann", frozenset([""]))
    with pytest.raises(ValueError):
        DocumentAccess("", None, False)
    with pytest.raises(ValueError):
        DocumentAccess("ann", "", False)


def test_filters_take_any_value_of_a_field_and_all_fields() -> None:
    attributes = DocumentAttributes(DocumentAccess("ann", None, False), "hr", "policy", ("new", "draft"), "zh")
    assert SearchFilters().admit("d", attributes)
    assert SearchFilters(("it", "hr"), ("policy",), ("draft",), ("zh",), ("d",)).admit("d", attributes)
    assert not SearchFilters(domains=("hr",), tags=("old",)).admit("d", attributes)
    assert not SearchFilters(document_ids=("e",)).admit("d", attributes)
