"""The shipped tools through their port."""

from dataclasses import replace

import pytest

from superagent_agent_executor.domain.evidence import EvidenceLog, Hints
from superagent_agent_executor.domain.plan import Filters, Plan, SubQuestion
from superagent_agent_executor.domain.skills import Skill
from superagent_agent_executor.domain.tools import Refusal, ToolContext, ToolSpec, allowed_tools, read_request
from superagent_agent_executor.ports import Tool
from superagent_agent_executor.prompts import prompt_texts, tool_description
from superagent_agent_executor.tools.calculator import Calculator
from superagent_agent_executor.tools.clock import Clock
from superagent_agent_executor.tools.knowledge_search import KnowledgeSearch
from tests.support.executor_rig import LOG, NOW, OTHER, PASSAGE, FakeEvidence, plan

CALCULATOR = Calculator()
CLOCK = Clock(lambda: NOW)


def searching(evidence: FakeEvidence) -> KnowledgeSearch:
    return KnowledgeSearch(evidence, 15)


def context(wanted: Plan | None = None, *domains: str) -> ToolContext:
    wanted = wanted or plan("q?", mode="react_agent", language="en", time_zone="Asia/Shanghai")
    return ToolContext(wanted, EvidenceLog(wanted.budget.evidence_chars), domains)


async def said(tool: Tool, language: str = "en", **arguments: object) -> str:
    wanted = plan("q?", mode="react_agent", language=language, time_zone="Asia/Shanghai")
    return (await tool.call(arguments, context(wanted))).text  # type: ignore[arg-type]


@pytest.mark.parametrize("tool", [CALCULATOR, CLOCK, searching(FakeEvidence({}))], ids=lambda tool: tool.spec.name)
async def test_a_tool_describes_itself_and_refuses_arguments_that_it_does_not_have(tool: Tool) -> None:
    spec = tool.spec
    assert spec.risk == "read"
    assert len(tool_description(prompt_texts(None, LOG), spec.name) or "") > 40
    assert spec.parameters["type"] == "object"
    with pytest.raises(Refusal) as refused:
        await tool.call({"made_up": 1}, context())
    assert refused.value.key == "arguments_invalid"


async def test_the_calculator_tells_expression_and_result() -> None:
    assert await said(CALCULATOR, expression="2 * 21") == "2 * 21 = 42"
    assert await said(CALCULATOR, expression="1/3") == "1/3 ≈ 0.333333333333333"


async def test_now_is_told_in_the_persons_time_zone_or_another() -> None:
    assert await said(CLOCK) == "It is 2026-11-30 08:29:08, Monday (Asia/Shanghai, UTC+08:00; week 49 of 2026)"
    assert "2026-11-29 19:29:08, Sunday (America/New_York, UTC-05:00" in await said(CLOCK, time_zone="America/New_York")
    assert await said(CLOCK, "zh") == "现在是 2026-11-30 08:29:08，星期一（Asia/Shanghai, UTC+08:00；2026 年第 49 周）"


async def test_days_are_named_added_and_counted() -> None:
    assert await said(CLOCK, date="2026-12-25") == "2026-12-25 (Friday)"
    assert "45 days after 2026-11-30 (Monday) is 2027-01-14 (Thursday)" in await said(CLOCK, add_days=45)
    assert "2 天是 2026-11-28（星期六）" in await said(CLOCK, "zh", add_days=-2)
    assert "29 天（4 周零 1 天）" in await said(CLOCK, "zh", date="2028年2月1日", until="2028/3/1")
    assert "-30 days (4 weeks and 2 days)" in await said(CLOCK, until="2026-10-31")


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ({"time_zone": "Mars/Olympus"}, "time_zone_unknown"),
        ({"time_zone": "../../etc/passwd"}, "time_zone_unknown"),
        ({"time_zone": "Asia"}, "time_zone_unknown"),
        ({"date": "2026-02-30"}, "time_date_unknown"),
        ({"date": "next week"}, "time_date_unknown"),
        ({"add_days": 10**9}, "time_out_of_range"),
        ({"add_days": 10**14}, "time_out_of_range"),
        ({"add_days": "many"}, "arguments_invalid"),
    ],
)
async def test_dates_that_do_not_exist_are_refused(arguments: dict[str, object], key: str) -> None:
    with pytest.raises(Refusal) as refused:
        await CLOCK.call(arguments, context())  # type: ignore[arg-type]
    assert refused.value.key == key


async def test_a_search_brings_passages_within_the_characters_that_are_left() -> None:
    evidence = FakeEvidence({"warranty?": [PASSAGE], "restore?": [PASSAGE, OTHER], "more?": [OTHER]})
    tool, run = searching(evidence), context()
    found = await tool.call({"question": "warranty?"}, run)
    assert (found.ok, found.passages, found.mode) == (True, (PASSAGE,), "hybrid")
    assert found.summary == "passages found: 1 (Handbook)"
    assert evidence.budgets == [2_200]
    # What a search did not bring is there for the next.
    assert run.evidence.take(10_000) == 5_200 - len(PASSAGE.text)
    with pytest.raises(Refusal) as refused:
        await tool.call({"question": "more?"}, run)
    assert refused.value.key == "evidence_used_up"


async def test_a_failed_search_gives_its_characters_back() -> None:
    run = context()
    with pytest.raises(ConnectionError):
        await searching(FakeEvidence({"q?": ConnectionError()})).call({"question": "q?"}, run)
    assert run.evidence.take(10_000) == 5_200


async def test_a_search_keeps_to_the_domains_that_the_person_chose() -> None:
    chosen = SubQuestion(1, "q?", ("hr", "ops"), Filters(tags=("2026",)), domains_requested=True)
    wanted = Plan("p", "react_agent", "q?", (chosen,), "en")
    evidence = FakeEvidence({})
    tool = searching(evidence)
    for asked in ([], ["ops"], ["finance"], ["finance", "hr"]):
        await tool.call({"question": "q?", "domains": asked}, context(wanted, "sales"))  # type: ignore[dict-item]
    assert [question.domains for question in evidence.questions] == [("hr", "ops"), ("ops",), ("hr", "ops"), ("hr",)]
    assert {question.filters.tags for question in evidence.questions} == {("2026",)}


async def test_a_guess_at_domains_is_widened_and_said() -> None:
    class Elsewhere(FakeEvidence):
        async def find(self, question: SubQuestion, budget_chars: int, hints: Hints):  # type: ignore[no-untyped-def]
            found = await super().find(question, budget_chars, hints)
            return replace(found, passages=()) if question.domains else found

    evidence = Elsewhere({"q?": [PASSAGE]})
    found = await searching(evidence).call({"question": "q?", "domains": "ops"}, context())
    assert found.passages == (PASSAGE,)
    assert "all readable documents" in found.text
    assert [question.domains for question in evidence.questions] == [("ops",), ()]


async def test_without_a_word_from_the_model_the_plans_domains_hold() -> None:
    evidence = FakeEvidence({"q?": [PASSAGE]})
    await searching(evidence).call({"question": "q?"}, context(None, "hr"))
    assert evidence.questions[0].domains == ("hr",)


async def test_nothing_found_is_an_answer() -> None:
    found = await searching(FakeEvidence({})).call({"question": "q?"}, context())
    assert (found.ok, found.text, found.passages) == (True, "Nothing was found.", ())


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ("", ""),
        ('{"a": 1}', ""),
        ("{", "arguments_not_json"),
        ("1", "arguments_not_object"),
        ("[]", "arguments_not_object"),
        ("null", "arguments_not_object"),
        ('{"a": NaN}', "arguments_not_json"),
        ('{"a": 1e999}', "arguments_not_json"),
        ('{"a": 1' + "0" * 400 + "}", "arguments_not_json"),
        ('{"a": ' * 9 + "1" + "}" * 9, "arguments_not_json"),
        ("[" * 5_000, "arguments_not_json"),
        ('{"a": "' + "x" * 20_000 + '"}', "arguments_too_long"),
    ],
)
def test_arguments_are_read_or_the_fault_is_named(arguments: str, fault: str) -> None:
    assert read_request("c", "t", arguments).fault == fault


def test_lone_surrogates_in_arguments_do_not_reach_anybody() -> None:
    request = read_request("c", "t\ud800", '{"a\\ud800": ["\\udc00"]}')
    assert (request.name, request.arguments) == ("t?", {"a?": ["?"]})


def test_which_tools_a_run_has() -> None:
    specs = [ToolSpec(name, "", {}, "read", 1) for name in ("calculate", "knowledge_search", "look")]
    specs.append(ToolSpec("delete", "", {}, "dangerous", 1))

    def names(wanted: Plan, *skills: Skill) -> list[str]:
        return [spec.name for spec in allowed_tools(specs, wanted, skills)]

    def skill(*tools: str) -> Skill:
        return Skill("s", {}, "", "", (), (), tools, False, {})

    free = plan("q?")
    assert names(free) == ["calculate", "knowledge_search", "look"]
    assert names(replace(free, tools_allowed=("calculate", "weather"))) == ["calculate"]
    assert names(free, skill("look"), skill("calculate")) == ["calculate", "look"]
    assert names(free, skill("look"), skill()) == ["calculate", "knowledge_search", "look"]
    assert names(replace(free, tools_allowed=("look",)), skill("calculate")) == ["look"]
    without = replace(free, budget=replace(free.budget, evidence_chars=0))
    assert names(without) == ["calculate", "look"]
