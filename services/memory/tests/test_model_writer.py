"""The writer over a language model: what is asked, what is shown while it writes, and when it is given up."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

import pytest

from superagent_common.errors import Timeout, Unavailable
from superagent_common.llm import Finished, ModelAnswer, ModelEvent, ModelRequest, TextDelta
from superagent_common.logging import get_logger
from superagent_memory.adapters.model_writer import ModelWriter, SummaryReading
from superagent_memory.domain.summary import Draft, Material
from superagent_memory.prompts import Prompts, prompt_texts

PROMPTS = Prompts(prompt_texts(None, get_logger("memory")))
MATERIAL = Material(
    "tool",
    "Before, they chose Hamburg.",
    ("My name is Li Wei.",),
    ("Q: Ship order SO-20931\nA: It left Hamburg.",),
    300,
)
GOOD = "They chose Hamburg and shipped order SO-20931."


class Model:
    """Says its answers in turn, in pieces of seven characters; an answer that is an error is raised."""

    name = "scripted"

    def __init__(self, *answers: str | Exception) -> None:
        self._answers = list(answers)
        self.asked: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        answer = self._next(request)
        for at in range(0, len(answer), 7):
            yield TextDelta(answer[at : at + 7])
        yield Finished("stop")

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        return ModelAnswer(self._next(request), (), None, "stop")

    async def close(self) -> None:
        raise AssertionError("closed by whoever built it")

    def _next(self, request: ModelRequest) -> str:
        self.asked.append(request)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


async def written(model: Model) -> tuple[str, Draft | None]:
    texts: list[str] = []
    draft = None
    async for piece in ModelWriter(model, PROMPTS, get_logger("memory")).summarise(MATERIAL):
        if isinstance(piece, Draft):
            draft = piece
        else:
            texts.append(piece)
    return "".join(texts), draft


async def test_prose_is_shown_while_it_is_written_and_facts_are_not() -> None:
    model = Model(f"{GOOD}\n\n**Facts:**\n- Order SO-20931 left Hamburg\n\n* Li Wei asked\n")
    shown, draft = await written(model)
    assert shown.strip() == GOOD
    assert draft == Draft(GOOD, ("Order SO-20931 left Hamburg", "Li Wei asked"))
    (asked,) = model.asked
    assert asked.purpose == "summary"
    assert asked.prompt.startswith("tool.md@")
    assert "Keep every id, parameter" in asked.messages[0].content
    for part in (MATERIAL.text, MATERIAL.facts[0], MATERIAL.turns[0], "300"):
        assert part in asked.messages[1].content


@pytest.mark.parametrize(
    "nonsense", ["", "!!!", "I am a teapot, short and stout.", GOOD * 20, "They shipped order SO-99999.", "FACTS:\n- x"]
)
async def test_nonsense_is_asked_for_again_and_given_up_after_three_times(nonsense: str) -> None:
    model = Model(nonsense, nonsense, GOOD)
    shown, draft = await written(model)
    assert draft == Draft(GOOD)
    # What was shown once is not taken back by more of it: the summary itself follows.
    assert shown.strip() in (nonsense.partition("FACTS:")[0].strip(), GOOD)
    model = Model(nonsense, nonsense, nonsense)
    assert (await written(model))[1] is None
    assert len(model.asked) == 3


@pytest.mark.parametrize("failure", [Unavailable("model_unavailable"), Timeout("model_first_token_timeout")])
async def test_a_model_that_is_away_or_never_answers_is_not_asked_again(failure: Exception) -> None:
    model = Model(failure, GOOD)
    assert await written(model) == ("", None)
    assert len(model.asked) == 1


async def test_a_model_that_does_not_end_is_cut_off() -> None:
    model = Model("storage " * 5_000, GOOD)
    assert (await written(model))[1] == Draft(GOOD)


@pytest.mark.parametrize(
    "pieces", [["Prose.\nFA", "CTS:\n- one"], ["Prose.", "\n", "f", "acts: \n- one"], ["Prose.\n## FACTS:\n- one"]]
)
def test_a_line_that_may_become_the_mark_is_held_back(pieces: Sequence[str]) -> None:
    reading = SummaryReading()
    told = "".join(reading.add(piece) for piece in pieces) + reading.end()
    assert told.strip() == "Prose."
    assert reading.draft == Draft("Prose.", ("one",))


def test_a_line_that_only_looks_like_the_mark_is_told() -> None:
    reading = SummaryReading()
    told = reading.add("F") + reading.add("act one.\nFAC") + reading.add("ILITY two.") + reading.end()
    assert told == "Fact one.\nFACILITY two."


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("“Shipping order SO-20931.”\nmore", "Shipping order SO-20931"),
        ("", None),
        ("Certainly! Here you are", None),
        ("Shipping " * 20, None),
        (Unavailable("model_unavailable"), None),
    ],
)
async def test_a_title_is_one_short_line_about_the_question(said: str | Exception, title: str | None) -> None:
    model = Model(said)
    writer = ModelWriter(model, PROMPTS, get_logger("memory"))
    assert await writer.title("What about shipping order SO-20931?", "It left.") == title
    assert model.asked[0].purpose == "title"
