"""Which domains there are for a person, and what they are called."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from services.retrieval.tests.retrieval_rig import ANNA, BEN, Rig, document
from superagent_common.identity import Principal
from superagent_retrieval.application.searching import Query
from superagent_retrieval.domain.access import AccessScope, DocumentAccess
from superagent_retrieval.domain.catalogue import DomainSummary, ManagedDomain, VisibleDomain, visible_domains
from superagent_retrieval.domain.records import SearchFilters

ROOT = Principal("root-id", "root", ("user", "admin"))
CODES = ("finance", "hr", "it", "ops", "无名")
TAGS = ("acme", "acme.sales", "other")

accesses = st.builds(
    DocumentAccess, st.sampled_from(("anna", "ben")), st.none() | st.sampled_from(TAGS), is_public=st.booleans()
)
documents = st.lists(st.tuples(st.sampled_from(CODES), accesses), max_size=12)
managed_domains = st.lists(
    st.builds(
        ManagedDomain,
        st.sampled_from(CODES),
        st.text(min_size=1, max_size=5),
        st.text(max_size=5),
        st.sampled_from(("", *TAGS)),
    ),
    unique_by=lambda domain: domain.code,
)
scopes = st.builds(AccessScope, st.sampled_from(("anna", "cleo")), st.frozensets(st.sampled_from(TAGS)))


@given(documents, managed_domains, scopes, st.booleans())
def test_a_person_sees_what_the_rule_allows_and_no_trace_of_the_rest(
    there: list[tuple[str, DocumentAccess]],
    managed: list[ManagedDomain],
    scope: AccessScope,
    is_administrator: bool,
) -> None:
    counts = Counter(code for code, access in there if scope.admits(access))
    readable = [DomainSummary(code, count, (f"A title of {code}",)) for code, count in counts.items()]
    seen = visible_domains(readable, managed, scope, is_administrator=is_administrator)
    described = {domain.code: domain for domain in managed}

    def allowed(code: str) -> bool:
        owner = described[code].owner_org_tag if code in described else None
        return counts[code] > 0 or (owner is not None and (is_administrator or owner == "" or owner in scope.org_tags))

    assert [domain.code for domain in seen] == sorted(code for code in CODES if allowed(code))
    for domain in seen:
        named = described.get(domain.code)
        assert (domain.name, domain.description) == ((named.name, named.description) if named else (domain.code, ""))
        assert domain.document_count == counts[domain.code]
        assert bool(domain.sample_titles) == (counts[domain.code] > 0)
    # What may not be known changes nothing: without it the answer is the same.
    known = [domain for domain in managed if allowed(domain.code)]
    assert visible_domains(readable, known, scope, is_administrator=is_administrator) == seen


async def test_a_described_domain_has_its_name_for_everybody_who_finds_something_in_it(rig: Rig) -> None:
    rig.managed = [
        ManagedDomain("ops", "运维", "Machines and how to mend them.", ""),
        ManagedDomain("sales", "Sales", "What we sell.", "sales"),
        ManagedDomain("law", "Law", "Contracts.", "company"),
    ]
    await rig.index(document(), "warranty lasts two years")
    await rig.index(document(ANNA, "plain"), "restore takes four hours")
    ops = VisibleDomain("ops", "运维", "Machines and how to mend them.", 1, ("Handbook",))
    plain = VisibleDomain("plain", "plain", "", 1, ("Handbook",))
    assert await rig.searching.domains(ANNA) == [ops, plain]
    # Anna's documents are not Ben's: of the domain he learns that it exists, as it is everybody's, and no more.
    empty_ops = VisibleDomain("ops", "运维", "Machines and how to mend them.", 0, ())
    assert await rig.searching.domains(BEN) == [empty_ops]
    seller = Principal("carl-id", "carl", ("user",), ("sales",))
    assert [domain.code for domain in await rig.searching.domains(seller)] == ["ops", "sales"]
    head = Principal("dora-id", "dora", ("user",), ("company",))
    assert [domain.code for domain in await rig.searching.domains(head)] == ["law", "ops", "sales"]
    assert [domain.code for domain in await rig.searching.domains(ROOT)] == ["law", "ops", "sales"]


async def test_searching_a_domain_that_is_not_there_for_a_person_is_as_with_no_such_domain(rig: Rig) -> None:
    rig.managed = [ManagedDomain("law", "Law", "Contracts.", "company"), ManagedDomain("hr", "People", "", "")]
    found = await rig.searching.search(BEN, Query("contract", SearchFilters(domains=("law", "nowhere", "hr"))))
    assert (found.evidence, found.unknown_domains) == ([], ("law", "nowhere"))


async def test_what_is_described_anew_is_seen_at_once(rig: Rig) -> None:
    await rig.index(document(), "warranty lasts two years")
    for name in ("Operations", "运维"):
        rig.managed = [ManagedDomain("ops", name, "", "company")]
        assert [domain.name for domain in await rig.searching.domains(ANNA)] == [name]
