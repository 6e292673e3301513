"""A run with tools when the model or the knowledge base is down."""

import pytest

from superagent_agent_executor.domain import events as ev
from superagent_common.errors import Unavailable
from superagent_common.llm import Degraded, TextDelta
from tests.support.executor_rig import (
    OTHER,
    PASSAGE,
    FakeEvidence,
    FakeModel,
    Rig,
    calls,
    only,
    says,
    text,
)
from tests.support.react_rig import SEARCH, SUM, asking


async def test_a_model_that_is_down_says_so() -> None:
    events = await Rig(None, FakeModel((Unavailable("model_down"),))).run(asking())
    assert only(events, ev.Degraded) == [ev.Degraded("no_model", "model_down")]
    assert "unavailable right now" in text(events)
    assert only(events, ev.Answered) == [ev.Answered("stop")]


async def test_a_model_that_goes_down_behind_a_search_leaves_quotes() -> None:
    model = FakeModel(calls(SEARCH), (Unavailable("model_down"),), complete=Unavailable("model_down"))
    events = await Rig(FakeEvidence({"warranty?": [PASSAGE]}), model).run(asking("How long is the warranty?"))
    assert "> Warranty lasts two years. [1]" in text(events)
    assert only(events, ev.Degraded) == [ev.Degraded("extractive", "model_down")]
    assert [each.citation_id for each in only(events, ev.Sources)[0].passages] == [1]


async def test_a_model_that_breaks_off_in_its_words_fails_the_run() -> None:
    events: list[ev.ExecutionEvent] = []
    rig = Rig(None, FakeModel(calls(SUM), (TextDelta("It is "), Unavailable("model_stream_broken"))))
    with pytest.raises(Unavailable):
        async for event in rig.executors.run(asking()):
            events.append(event)
    assert text(events) == "It is "


async def test_the_backup_is_told_once() -> None:
    backup = Degraded("backup", "small", "model_down")
    model = FakeModel((backup, *calls(SUM)), (backup, *says("42.")))
    events = await Rig(None, model).run(asking())
    assert only(events, ev.Degraded) == [ev.Degraded("backup_model", "model_down")]


async def test_a_knowledge_base_that_is_down_is_told_and_the_run_goes_on() -> None:
    model = FakeModel(calls(SEARCH), says("From memory [1]."))
    events = await Rig(FakeEvidence({"warranty?": Unavailable("retrieval_unavailable")}), model).run(asking())
    assert only(events, ev.Degraded) == [ev.Degraded("no_retrieval", "retrieval_unavailable")]
    assert text(events) == "From memory ."
    assert not only(events, ev.Sources)


async def test_one_channel_down_is_told_once() -> None:
    evidence = FakeEvidence({"warranty?": [PASSAGE], "restore?": [OTHER]}, "text_only")
    model = FakeModel(calls(SEARCH), calls(("knowledge_search", '{"question": "restore?"}')), says("[1]"))
    events = await Rig(evidence, model).run(asking())
    assert only(events, ev.Degraded) == [ev.Degraded("text_only", "channel_down")]
    assert only(events, ev.Sources)[0].mode == "text_only"


@pytest.mark.parametrize(("language", "words"), [("zh", "没有配置语言模型"), ("en", "No language model is configured")])
async def test_without_a_model_it_is_said_plainly(language: str, words: str) -> None:
    evidence = FakeEvidence({})
    events = await Rig(evidence, None).run(asking(language=language))
    assert words in text(events) and "LLM_MODEL" in text(events)
    assert only(events, ev.Degraded) == [ev.Degraded("no_model", "no_model_configured")]
    assert only(events, ev.Answered) == [ev.Answered("stop")]
    assert only(events, ev.Usage)[-1].model_calls == 0
    assert evidence.questions == []
