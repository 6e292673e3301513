"""A person looks at how a document would be cut, and chooses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.ingestion.tests.ingestion_rig import ANNA, BEN, Rig, ingestion_rig
from services.ingestion.tests.processing_fakes import FakeTopicModel
from superagent_common.errors import Conflict, InvalidInput, NotFound, ServiceError, Unavailable
from superagent_common.identity import Principal
from superagent_ingestion.domain.chunking.kept_cuts import Cut, KeptCuts
from superagent_ingestion.domain.chunking.model import Child
from superagent_ingestion.domain.documents import Document
from superagent_ingestion.domain.rejection import DocumentRejected

TEXT = " ".join(f"Pump number {n} is started by hand." for n in range(200)).encode()


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with ingestion_rig(tmp_path) as made:
        yield made


async def ready(rig: Rig, content: bytes = TEXT) -> str:
    document_id = await rig.upload(content)
    await rig.pipeline().run(document_id)
    return document_id


async def refused(call: object) -> str:
    with pytest.raises(ServiceError) as raised:
        await call  # type: ignore[misc]
    return raised.value.reason


async def test_a_document_to_be_reviewed_waits_until_its_strategy_is_confirmed(rig: Rig) -> None:
    document_id = await rig.upload(TEXT, review_strategy=True)
    await rig.pipeline().run(document_id)
    held = await rig.document(document_id)
    assert (held.state, held.waiting_reason, held.progress) == ("parsed", "awaiting_strategy", 35)
    assert held.recommended_strategy == "structure+recursive" and held.strategy_reasons
    assert rig.index.generations == {}
    rig.clock.pass_(100_000)
    assert await rig.jobs.due("ingest", 10) == [], "nobody takes it up meanwhile"
    confirmed = await rig.strategies.confirm(ANNA, document_id, "recursive")
    assert (confirmed.state, confirmed.waiting_reason, confirmed.strategy) == ("confirmed", "queued", "recursive")
    await rig.pipeline().run(document_id)
    document = await rig.document(document_id)
    assert (document.state, document.strategy, rig.parser.parsed) == ("ready", "recursive", 1)
    assert document.recommended_strategy == "structure+recursive"


async def test_a_document_that_waits_for_its_strategy_can_be_read_again(rig: Rig) -> None:
    document_id = await rig.upload(TEXT, review_strategy=True)
    await rig.pipeline().run(document_id)
    begun = await rig.reprocessing.begin(ANNA, document_id)
    assert (begun.state, begun.waiting_reason) == ("uploaded", "queued")
    await rig.pipeline().run(document_id)
    held = await rig.document(document_id)
    assert (held.state, held.waiting_reason, rig.parser.parsed) == ("parsed", "awaiting_strategy", 2)


async def test_confirming_the_recommended_strategy_goes_on_too(rig: Rig) -> None:
    document_id = await rig.upload(TEXT, review_strategy=True)
    await rig.pipeline().run(document_id)
    await rig.strategies.confirm(ANNA, document_id, "structure+recursive")
    await rig.pipeline().run(document_id)
    assert (await rig.document(document_id)).state == "ready"


async def test_whoever_confirms_first_decides(rig: Rig) -> None:
    document_id = await rig.upload(TEXT, review_strategy=True)
    await rig.pipeline().run(document_id)
    names = ("recursive", "structure+recursive", "recursive+semantic")
    ends = await asyncio.gather(
        *(rig.strategies.confirm(ANNA, document_id, name) for name in names), return_exceptions=True
    )
    won = [end for end in ends if isinstance(end, Document)]
    assert len(won) == 1 and all(isinstance(end, Conflict) for end in ends if end is not won[0])
    assert (await rig.document(document_id)).strategy == won[0].strategy


async def test_another_strategy_cuts_a_ready_document_again_as_a_new_generation(rig: Rig) -> None:
    document_id = await ready(rig)
    before = await rig.document(document_id)
    assert (await rig.strategies.confirm(ANNA, document_id, before.strategy)) == before, "it is cut so already"
    again = await rig.strategies.confirm(ANNA, document_id, "recursive+semantic")
    assert (again.state, again.answering, again.generation) == ("confirmed", True, "")
    assert await refused(rig.strategies.confirm(ANNA, document_id, "recursive")) == "document_busy"
    await rig.pipeline().run(document_id)
    after = await rig.document(document_id)
    assert (after.state, after.strategy, rig.parser.parsed) == ("ready", "recursive+semantic", 1)
    assert rig.index.generations[document_id] == [before.generation, after.generation]
    assert before.generation != after.generation
    assert [(stage.name, stage.attempts) for stage in after.stages] == [
        (name, 1) for name in ("upload", "parse", "strategy", "chunk", "index")
    ]


async def test_a_document_that_failed_behind_parsing_may_be_cut_by_another_strategy(rig: Rig) -> None:
    document_id = await rig.upload(TEXT)
    rig.index.hindrance = InvalidInput("too_many_chunks", "No.")
    await rig.pipeline().run(document_id)
    assert (await rig.document(document_id)).state == "failed"
    assert (await rig.strategies.preview(ANNA, document_id, "recursive", 0, "")).children
    rig.index.hindrance = None
    await rig.strategies.confirm(ANNA, document_id, "recursive")
    await rig.pipeline().run(document_id)
    document = await rig.document(document_id)
    assert (document.state, document.failure, document.strategy) == ("ready", None, "recursive")


async def test_a_copy_that_is_lost_is_made_anew_when_the_document_is_cut_again(rig: Rig) -> None:
    document_id = await ready(rig)
    del rig.objects.objects[f"parsed/{document_id}"]
    assert await refused(rig.strategies.preview(ANNA, document_id, "recursive", 0, "")) == "not_parsed_yet"
    await rig.strategies.confirm(ANNA, document_id, "recursive")
    await rig.pipeline().run(document_id)
    assert (await rig.document(document_id)).state == "ready" and rig.parser.parsed == 2


async def test_what_is_previewed_is_what_is_indexed(rig: Rig) -> None:
    document_id = await rig.upload(TEXT, review_strategy=True)
    await rig.pipeline().run(document_id)
    for strategy in rig.strategies.available:
        preview = await rig.strategies.preview(ANNA, document_id, strategy, 0, "")
        assert preview.strategy == strategy
    compared = rig.neighbours.compared
    chosen = await rig.strategies.preview(ANNA, document_id, "recursive+semantic", 0, "")
    await rig.strategies.confirm(ANNA, document_id, "recursive+semantic")
    await rig.pipeline().run(document_id)
    document = await rig.document(document_id)
    assert (document.children, document.parents) == (chosen.children_total, chosen.parents_total)
    assert rig.neighbours.compared == compared, "what was found for the preview is kept"


async def test_pages_of_a_preview_hold_every_chunk_once(rig: Rig) -> None:
    document_id = await ready(rig)
    seen: list[Child] = []
    cursor = ""
    while True:
        page = await rig.strategies.preview(ANNA, document_id, "", 3, cursor)
        assert len(page.children) <= 3
        seen += page.children
        cursor = page.next_cursor
        if not cursor:
            break
    assert page.strategy == "structure+recursive"
    assert [child.position for child in seen] == list(range(page.children_total))
    beyond = await rig.strategies.preview(ANNA, document_id, "recursive", 3, "WzEwMDAwMDAsICJjaHVuayJd")
    assert (beyond.children, beyond.next_cursor) == ((), "")


async def test_looking_again_needs_no_object_store(rig: Rig) -> None:
    document_id = await ready(rig)
    first = await rig.strategies.preview(ANNA, document_id, "recursive", 0, "")
    rig.objects.failing = True
    assert await rig.strategies.preview(ANNA, document_id, "recursive", 0, "") == first
    assert await refused(rig.new_strategies().preview(ANNA, document_id, "recursive", 0, "")) == (
        "object_store_unavailable"
    )


async def test_nothing_is_kept_of_a_document_that_is_deleted_while_it_is_looked_at(rig: Rig) -> None:
    document_id = await ready(rig)
    rig.neighbours.before = lambda: rig.documents.delete(ANNA, document_id)
    assert await refused(rig.strategies.preview(ANNA, document_id, "recursive+semantic", 0, "")) == "unknown_document"
    assert rig.objects.objects == {}


@pytest.mark.parametrize(
    "cursor", ["garbage", "W10", "WyIxIiwgImNodW5rIl0", "Wy0xLCAiY2h1bmsiXQ", "WzEsICJkb2N1bWVudCJd"]
)
async def test_a_cursor_that_is_none_of_ours_is_refused(rig: Rig, cursor: str) -> None:
    document_id = await ready(rig)
    assert await refused(rig.strategies.preview(ANNA, document_id, "", 3, cursor)) == "invalid_cursor"


async def test_unknown_strategies_are_refused_and_the_known_named(rig: Rig) -> None:
    document_id = await ready(rig)
    for name in ("magic", "semantic", "structure", "Recursive", "model+recursive", "recursive+structure"):
        assert await refused(rig.strategies.preview(ANNA, document_id, name, 0, "")) == "unknown_strategy"
        with pytest.raises(InvalidInput, match=r"structure\+recursive, recursive, ") as raised:
            await rig.strategies.confirm(ANNA, document_id, name)
        assert raised.value.reason == "unknown_strategy"
    assert await refused(rig.strategies.confirm(ANNA, document_id, "")) == "unknown_strategy"


async def test_with_a_model_its_strategy_may_be_chosen_and_its_failure_shows(rig: Rig) -> None:
    document_id = await ready(rig)
    rig.topic_model = FakeTopicModel([2])
    strategies = rig.new_strategies()
    assert "model+recursive" in strategies.available and "model+recursive" not in rig.strategies.available
    assert (await strategies.preview(ANNA, document_id, "model+recursive", 0, "")).children
    rig.topic_model.begun = Unavailable("model_unavailable")
    other = await ready(rig, b"Another text. " * 100)
    assert await refused(strategies.preview(ANNA, other, "model+recursive", 0, "")) == "model_unavailable"


@pytest.mark.parametrize("who", [BEN, Principal("root", "root", ("admin",))])
async def test_documents_of_others_are_as_unknown_ones(rig: Rig, who: Principal) -> None:
    document_id = await rig.upload(TEXT, is_public=True)
    await rig.pipeline().run(document_id)
    for unknown, person in ((document_id, who), ("01990000-0000-7000-8000-000000000000", ANNA), ("x" * 5000, ANNA)):
        with pytest.raises(NotFound):
            await rig.strategies.preview(person, unknown, "", 0, "")
        with pytest.raises(NotFound):
            await rig.strategies.confirm(person, unknown, "recursive")


async def test_what_is_not_parsed_cannot_be_looked_at(rig: Rig) -> None:
    document_id = await rig.upload(TEXT)
    assert await refused(rig.strategies.preview(ANNA, document_id, "", 0, "")) == "not_parsed_yet"
    assert await refused(rig.strategies.confirm(ANNA, document_id, "recursive")) == "not_parsed_yet"
    rig.parser.hindrance = DocumentRejected("encrypted", "The file needs a password.")
    await rig.pipeline().run(document_id)
    assert await refused(rig.strategies.preview(ANNA, document_id, "recursive", 0, "")) == "not_parsed_yet"
    assert await refused(rig.strategies.confirm(ANNA, document_id, "recursive")) == "not_parsed_yet"


async def test_a_document_that_waits_for_another_try_is_busy(rig: Rig) -> None:
    document_id = await rig.upload(TEXT)
    rig.index.hindrance = Unavailable("embedder_down")
    await rig.pipeline().run(document_id)
    assert await refused(rig.strategies.confirm(ANNA, document_id, "recursive")) == "document_busy"


def cut(length: int) -> Cut:
    return Cut((Child(0, 0, "x" * length, "", 0, length, 0, (), None, ""),), 1)


def test_cuts_are_kept_until_there_is_no_more_room_the_last_looked_at_longest() -> None:
    kept = KeptCuts(10_000)
    for name in "abc":
        kept.keep(name, cut(2_000))
    assert kept.get("a") is not None
    kept.keep("d", cut(2_000))
    assert kept.get("b") is None
    assert all(kept.get(name) is not None for name in "acd")
    kept.keep("huge", cut(10_000))
    assert kept.get("huge") is None and kept.get("a") is not None
    for _ in range(5):
        kept.keep("a", cut(2_500))
    assert all(kept.get(name) is not None for name in "acd")
