"""A conversation as a file: one JSON object, or Markdown for reading."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator

from superagent.memory.v1 import memory_pb2 as pb
from superagent.orchestrator.v1.events_pb2 import Source
from superagent_gateway.api.presenters.conversations import conversation_json, stored_turn_json
from superagent_gateway.api.presenters.values import TURN_STATES, time_text

Pages = AsyncIterator[pb.GetConversationResponse]


async def json_export(pages: Pages) -> AsyncIterator[str]:
    """`{"conversation": …, "turns": […]}`, a turn a line."""
    separator = ""
    async for page in pages:
        if not separator:
            yield f'{{"conversation": {_json(conversation_json(page.conversation))},\n"turns": [\n'
        for turn in page.turns:
            yield separator + _json(stored_turn_json(turn))
            separator = ",\n"
        separator = separator or "\n"
    yield "\n]}\n"


async def markdown_export(pages: Pages) -> AsyncIterator[str]:
    """A heading, and for each turn the question quoted, the answer and its sources."""
    titled = False
    async for page in pages:
        if not titled:
            yield f"# {_line(page.conversation.title) or 'Conversation'}\n"
            titled = True
        for turn in page.turns:
            yield "".join(_turn(turn))


def _turn(turn: pb.StoredTurn) -> Iterator[str]:
    yield f"\n---\n\n*{time_text(turn.asked_at)}*\n\n"
    yield "\n".join(f"> {line}".rstrip() for line in turn.question.splitlines()) + "\n"
    if turn.tools:
        yield "\n" + "".join(f"- `{_line(tool.name)}`: {'ok' if tool.ok else 'failed'}\n" for tool in turn.tools)
    if turn.answer:
        yield f"\n{turn.answer.rstrip()}\n"
    if turn.HasField("clarify"):
        yield f"\n{turn.clarify.question}\n\n" + "".join(f"- {choice}\n" for choice in turn.clarify.choices)
    state = TURN_STATES.get(turn.state, "UNSPECIFIED")
    if state not in ("COMPLETED", "UNSPECIFIED"):
        yield f"\n*({state.lower()})*\n"
    if turn.sources.sources:
        yield "\n" + "".join(f"{source.citation_id}. {_place(source)}\n" for source in turn.sources.sources)


def _place(source: Source) -> str:
    where = " › ".join((source.title, *source.heading_path))
    return f"{_line(where)}, p. {source.page_from}" if source.page_from else _line(where)


def _line(text: str) -> str:
    return " ".join(text.split())


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
