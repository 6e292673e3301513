"""What the scripted model answers, and when: rules tried in order, the first that matches gives the reply."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.support.scripted_model.planning import PLAN, sane_plan

BACKGROUND = ("summary", "title")
"""Purposes of what memory does after a turn; nobody who scripts a turn means them."""

Endpoint = Literal["chat", "embeddings"]
FailureKind = Literal["status", "cut", "no_finish", "garbage", "error_event", "hang"]


@dataclass(frozen=True, slots=True)
class Failure:
    """How a reply goes wrong.

    kind: `status` answers `status` with `error_code` and `message`; `cut` closes the connection; `no_finish` ends the
    body properly but without a finish reason; `garbage` sends bytes that are no JSON; `error_event` sends an error
    object with status 200; `hang` sends nothing more and keeps the connection.
    after_deltas: how many deltas go out first; None: it fails before any byte of the response.
    """

    kind: FailureKind
    after_deltas: int | None = None
    status: int = 500
    error_code: str = "scripted_failure"
    message: str = "failed as scripted"
    retry_after: str | None = None


@dataclass(frozen=True, slots=True)
class Gate:
    """Holds an answer after so many deltas, so that what a test looks at meanwhile may take its time."""

    after_deltas: int = 0
    opened: asyncio.Event = field(default_factory=asyncio.Event)

    def open(self) -> None:
        self.opened.set()


@dataclass(frozen=True, slots=True)
class ScriptedToolCall:
    """`arguments` is the JSON text as the model would write it (it need not be valid)."""

    name: str
    arguments: str
    id: str = "call_1"


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer.

    deltas: number of pieces the text is cut into; None: pieces of four characters. `first_delay_seconds` passes before
    the first piece, `delay_seconds` between pieces; without delays the whole answer leaves in one write.
    held_by: the answer stops at its gate until the test opens it; only where it is streamed and does not fail.
    usage: (input, output) tokens; None: counted at four characters a token. reports_usage False leaves it out.
    """

    text: str = ""
    thinking: str = ""
    tool_calls: tuple[ScriptedToolCall, ...] = ()
    deltas: int | None = None
    first_delay_seconds: float = 0.0
    delay_seconds: float = 0.0
    held_by: Gate | None = None
    finish_reason: str | None = None
    usage: tuple[int, int] | None = None
    reports_usage: bool = True
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """Every condition that is given must hold; texts are looked for as substrings. `times`: how often it applies.

    purpose None: any but `plan`, `summary` and `title`. Unless a rule scripts them, planning is answered with a sane plan
    (`planning.sane_plan`) and the other two with nothing, as by a model that has nothing to say.
    """

    reply: Reply
    user: str | None = None
    system: str | None = None
    purpose: str | None = None
    model: str | None = None
    body: str | None = None
    endpoint: Endpoint = "chat"
    times: int | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What rules look at: the last user message, all system texts, the purpose header, the model and the raw body."""

    endpoint: Endpoint
    user: str
    system: str
    purpose: str
    model: str
    body: str


DEFAULT_REPLY = Reply(text="This is the scripted answer to whatever was asked.")


@dataclass(slots=True)
class Script:
    """Rules in force with what is left of their `times`."""

    rules: tuple[Rule, ...] = ()
    default: Reply = DEFAULT_REPLY
    _left: list[int | None] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self._left = [rule.times for rule in self.rules]

    def reply_to(self, asked: Asked) -> Reply:
        for position, rule in enumerate(self.rules):
            left = self._left[position]
            if left == 0 or not _holds(rule, asked):
                continue
            if left is not None:
                self._left[position] = left - 1
            return rule.reply
        if asked.purpose == PLAN:
            return Reply(text=sane_plan(asked.body))
        if asked.purpose in BACKGROUND:
            return Reply()
        return self.default if asked.endpoint == "chat" else Reply()


def _holds(rule: Rule, asked: Asked) -> bool:
    return (
        rule.endpoint == asked.endpoint
        and (rule.user is None or rule.user in asked.user)
        and (rule.system is None or rule.system in asked.system)
        and (asked.purpose not in (PLAN, *BACKGROUND) if rule.purpose is None else rule.purpose == asked.purpose)
        and (rule.model is None or rule.model == asked.model)
        and (rule.body is None or rule.body in asked.body)
    )


def script_from_json(document: Mapping[str, Any]) -> Script:
    """`{"rules": [{<fields of Rule>, "reply": {<fields of Reply>}}], "default": {<fields of Reply>}}`.

    Raises TypeError or KeyError on unknown or missing fields.
    """
    rules = tuple(
        Rule(reply=_reply(item["reply"]), **{name: value for name, value in item.items() if name != "reply"})
        for item in document.get("rules", ())
    )
    default = document.get("default")
    return Script(rules, DEFAULT_REPLY if default is None else _reply(default))


def _reply(fields: Mapping[str, Any]) -> Reply:
    values = dict(fields)
    if values.get("failure") is not None:
        values["failure"] = Failure(**values["failure"])
    if values.get("usage") is not None:
        values["usage"] = tuple(values["usage"])
    values["tool_calls"] = tuple(ScriptedToolCall(**call) for call in values.get("tool_calls", ()))
    return Reply(**values)


def asked_from_chat(body: Mapping[str, Any], raw: str, purpose: str) -> Asked:
    messages: Iterable[Mapping[str, Any]] = body.get("messages", ())
    user, system = "", []
    for message in messages:
        content = message.get("content") or ""
        if message.get("role") == "user":
            user = content
        elif message.get("role") == "system":
            system.append(content)
    return Asked("chat", user, "\n".join(system), purpose, str(body.get("model", "")), raw)
