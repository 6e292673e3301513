"""Administrators, and nobody else, see what a consumer has given up."""

from collections.abc import AsyncIterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, cast

import pytest
from google.protobuf.wrappers_pb2 import StringValue
from opentelemetry.trace import NoOpTracer
from prometheus_client import CollectorRegistry

from libs.common.tests.memory_log import MemoryLog, MemorySource
from libs.common.tests.sample_service.notes import TOPIC, NoteKeeper
from libs.common.tests.sample_service.tables import dead_letters, handled_events
from superagent.common.v1 import common_pb2 as pb
from superagent_common.bus import DEAD_LETTER_ACCESS, DeadLetterApi, DeadLetters, EventConsumer
from superagent_common.bus.event import Delivery
from superagent_common.db import Database, migrate
from superagent_common.errors import Forbidden, InvalidInput, NotFound, ServiceError, Unauthenticated
from superagent_common.identity import Identity, Principal, acting_as

_CONTEXT = cast(Any, None)  # no call looks at it


def _as(*roles: str) -> AbstractContextManager[None]:
    return acting_as(Identity(Principal("0197-anna", "anna", roles)))


@pytest.fixture
async def letters(tmp_path: Path) -> AsyncIterator[DeadLetters]:
    url = f"sqlite:///{tmp_path}/notes.db"
    await migrate(url, "libs.common.tests.sample_service")
    async with Database.opened(url, tracer=NoOpTracer()) as database:
        yield EventConsumer(
            MemorySource(MemoryLog()),
            [NoteKeeper(database).subscription],
            database,
            handled_events,
            dead_letters,
            tracer=NoOpTracer(),
            registry=CollectorRegistry(),
        ).dead_letters


async def _give_up(letters: DeadLetters, *event_ids: str) -> None:
    for event_id in event_ids:
        value = StringValue(value=event_id).SerializeToString()
        await letters.add(Delivery(event_id, TOPIC, 0, 0, "key", value, ""), "model_down", 5)


async def test_pages_list_every_letter_once_newest_first(letters: DeadLetters) -> None:
    names = [f"event-{number}" for number in range(5)]
    await _give_up(letters, *names)
    api, found, cursor = DeadLetterApi(letters), [], ""
    with _as("user", "admin"):
        while True:
            request = pb.ListDeadLettersRequest(page=pb.PageRequest(limit=2, cursor=cursor))
            page = await api.ListDeadLetters(request, _CONTEXT)
            found += page.dead_letters
            cursor = page.next_cursor
            if not cursor:
                break
    assert [letter.event_id for letter in found] == names[::-1]
    letter = found[0]
    assert (letter.topic, letter.key, letter.reason, letter.attempts) == (TOPIC, "key", "model_down", 5)
    assert StringValue.FromString(letter.payload).value == "event-4"
    assert letter.failed_at.seconds > 0


async def test_a_letter_leaves_the_list_by_redelivery_and_by_discarding(letters: DeadLetters) -> None:
    await _give_up(letters, "bad", "worse")
    api = DeadLetterApi(letters)
    with _as("admin"):
        await api.RedeliverDeadLetter(pb.RedeliverDeadLetterRequest(event_id="bad"), _CONTEXT)
        await api.DiscardDeadLetter(pb.DiscardDeadLetterRequest(event_id="worse"), _CONTEXT)
        assert not (await api.ListDeadLetters(pb.ListDeadLettersRequest(), _CONTEXT)).dead_letters


@pytest.mark.parametrize("name", ["ListDeadLetters", "RedeliverDeadLetter", "DiscardDeadLetter"])
@pytest.mark.parametrize(
    ("identity", "refusal"),
    [
        (Identity(Principal("0197-anna", "anna", ("user",))), Forbidden),
        (Identity(service="orchestrator"), Unauthenticated),
        (Identity(Principal("0197-anna", "anna", ("user",)), service="gateway"), Forbidden),
    ],
)
async def test_everybody_else_is_refused(
    letters: DeadLetters, name: str, identity: Identity, refusal: type[ServiceError]
) -> None:
    await _give_up(letters, "bad")
    request = getattr(pb, f"{name}Request")()
    with acting_as(identity), pytest.raises(refusal):
        await getattr(DeadLetterApi(letters), name)(request, _CONTEXT)
    assert len(await letters.list(None, 10)) == 1


async def test_an_unknown_letter_is_not_found(letters: DeadLetters) -> None:
    api = DeadLetterApi(letters)
    with _as("admin"):
        with pytest.raises(NotFound):
            await api.RedeliverDeadLetter(pb.RedeliverDeadLetterRequest(event_id="none"), _CONTEXT)
        with pytest.raises(NotFound):
            await api.DiscardDeadLetter(pb.DiscardDeadLetterRequest(event_id=""), _CONTEXT)


async def test_a_cursor_of_somebody_else_is_refused(letters: DeadLetters) -> None:
    request = pb.ListDeadLettersRequest(page=pb.PageRequest(cursor="made up"))
    with _as("admin"), pytest.raises(InvalidInput):
        await DeadLetterApi(letters).ListDeadLetters(request, _CONTEXT)


def test_every_call_of_the_service_is_declared() -> None:
    service = pb.DESCRIPTOR.services_by_name["DeadLetterService"]
    assert set(DEAD_LETTER_ACCESS) == {f"/{service.full_name}/{method.name}" for method in service.methods}
