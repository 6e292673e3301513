"""Skills: their files, the folder that adds to them, and what they do to a prompt."""

from pathlib import Path
from typing import Any

import pytest

from superagent_agent_executor.adapters.front_matter import split
from superagent_agent_executor.adapters.skill_library import SkillLibrary, parsed
from superagent_agent_executor.api import ExecutorApi
from superagent_common.errors import InvalidInput
from tests.support.executor_rig import LOG, PASSAGE, FakeEvidence, FakeModel, Rig, calls, plan, says, stages

SHIPPED = ["administration", "ai-assistant", "customer-service", "group-operations", "product", "risk-control"]
HEAD = "name: night-shift\ndescription: Nights.\nwhen_to_use: At night.\n"


def skill_text(head: str = HEAD, body: str = "Be quiet.") -> str:
    return f"---\n{head}---\n\n{body}\n"


class RememberingLog:
    """The events that were logged."""

    def __init__(self) -> None:
        self.events: list[tuple[str, str, dict[str, Any]]] = []

    def warning(self, event: str, **fields: Any) -> None:
        self.events.append(("warning", event, fields))

    def info(self, event: str, **fields: Any) -> None:
        self.events.append(("info", event, fields))

    @property
    def refused(self) -> list[tuple[str, str]]:
        """(file name, reason) of the warnings."""
        said = [fields for level, event, fields in self.events if (level, event) == ("warning", "skill_refused")]
        return [(Path(fields["file"]).parent.name, fields["reason"]) for fields in said]


async def library(folder: Path | None, log: Any = LOG) -> SkillLibrary:
    made = SkillLibrary(folder, log)
    await made.refresh()
    return made


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


async def test_six_skills_ship_in_both_languages() -> None:
    skills = (await library(None)).all()
    assert list(skills) == SHIPPED
    assert [code for code, skill in skills.items() if skill.fallback] == ["ai-assistant"]
    for skill in skills.values():
        words = skill.keywords
        assert len([word for word in words if word.isascii()]) >= 15
        assert len([word for word in words if not word.isascii()]) >= 15
        assert skill.titles["zh"] != skill.titles["en"]
        assert len(skill.instructions["zh"]) > 200 and len(skill.instructions["en"]) > 600
        assert "# English" not in skill.instructions["zh"]
        assert skill.when_to_use and skill.description


def test_front_matter_is_yaml_between_fences() -> None:
    text = "\ufeff---\na: text # with a comment\nb: [x, 'y, z']\nc:\n- x\nd: >\n  one\n  two\n---\n\nbody\n---\n"
    assert split(text) == ({"a": "text", "b": ["x", "y, z"], "c": ["x"], "d": "one two"}, "body\n---")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("no fence", 1),
        ("---\na: b", 2),
        ("---\na: b\na: c\n---", 3),
        ("---\njust words\n---", 2),
        ("---\n[a, b]\n---", 2),
        ("---\n1: b\n---", 2),
        ("---\n---", 2),
        ("---\na: b\n  c: d\n---", 3),
        ("---\na: *anchor\n---", 2),
        ("---\na: !!python/object:os.system x\n---", 2),
        ("---\na: [b\n---", 2),
        ("---\na: \x07\n---", 1),
        ("---\na: 2026-99-99\n---", 1),
    ],
)
def test_what_is_not_understood_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(InvalidInput, match=f"line {line}: "):
        split(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (skill_text("description: d\nwhen_to_use: w\n"), "name must be a text"),
        (skill_text(HEAD.replace("night-shift", "Night Shift")), "lower-case words"),
        (skill_text(HEAD + "keyword: [x]\n"), "unknown field keyword"),
        (skill_text(HEAD + "keywords: x\n"), "keywords must be a list"),
        (skill_text(HEAD + "keywords: [" + "x" * 61 + "]\n"), "keywords: at most"),
        (skill_text(HEAD + "keywords: [12]\n"), "keywords: at most"),
        (skill_text(HEAD + "tools: ['rm -rf']\n"), "cannot be the name of a tool"),
        (skill_text(HEAD + "fallback: maybe\n"), "fallback must be true or false"),
        (skill_text(HEAD + "title:\n  zh: x\n"), "title must be"),
        (skill_text(body=""), "instructions below the front matter are missing"),
        (skill_text(body="# 中文\n\n# English\nx"), "instructions below the front matter are missing"),
        (skill_text(body="x" * 4_001), "at most 4000 characters"),
    ],
)
def test_a_bad_skill_says_what_is_wrong(text: str, reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        parsed(text)


def test_instructions_without_language_headings_hold_for_both() -> None:
    skill = parsed(skill_text())
    assert (skill.instructions, skill.titles) == (
        {"zh": "Be quiet.", "en": "Be quiet."},
        {"zh": "night-shift", "en": "night-shift"},
    )


async def test_a_folder_adds_and_replaces_and_its_fallback_counts(tmp_path: Path) -> None:
    write(tmp_path, "nested/deeper/night", skill_text(HEAD + "fallback: true\n"))
    write(tmp_path, "product", skill_text(HEAD.replace("night-shift", "product")))
    write(tmp_path, ".hidden", skill_text(HEAD.replace("night-shift", "hidden")))
    skills = (await library(tmp_path)).all()
    assert list(skills) == sorted([*SHIPPED, "night-shift"])
    assert skills["product"].description == "Nights."
    assert [code for code, skill in skills.items() if skill.fallback] == ["night-shift"]


async def test_a_bad_file_is_named_with_its_reason_and_the_others_load(tmp_path: Path) -> None:
    write(tmp_path, "a-good", skill_text())
    write(tmp_path, "b-same-name", skill_text())
    write(tmp_path, "c-broken", "---\nname: [\n---\nx")
    write(tmp_path, "d-latin", "").write_bytes(b"---\nname: caf\xe9\n---\nx")
    write(tmp_path, "e-huge", "x" * 70_000)
    write(tmp_path, "product", skill_text(HEAD.replace("night-shift", "product") + "tools: x\n"))
    log = RememberingLog()
    skills = (await library(tmp_path, log)).all()
    assert list(skills) == sorted([*SHIPPED, "night-shift"])
    assert "产品" in skills["product"].titles["zh"]
    assert log.refused == [
        ("b-same-name", "the name night-shift is taken by another file"),
        ("c-broken", "line 2: expected the node content, but found '<stream end>'"),
        ("d-latin", "the file is not UTF-8"),
        ("e-huge", "the file is larger than 65536 bytes"),
        ("product", "tools must be a list"),
    ]


async def test_a_change_is_taken_up_and_no_change_is_not_read_again(tmp_path: Path) -> None:
    path = write(tmp_path, "night", skill_text())
    log = RememberingLog()
    skills = await library(tmp_path, log)
    before = skills.all()
    await skills.refresh()
    assert skills.all() is before and len(log.events) == 1
    write(tmp_path, "night", skill_text(body="Be very quiet."))
    await skills.refresh()
    assert skills.all()["night-shift"].instructions["en"] == "Be very quiet."
    path.unlink()
    await skills.refresh()
    assert list(skills.all()) == SHIPPED


async def test_files_behind_links_are_found_as_kubernetes_mounts_them(tmp_path: Path) -> None:
    data, mounted = tmp_path / "..data", tmp_path / "mounted"
    write(data, "night", skill_text())
    mounted.mkdir()
    (mounted / "night").symlink_to(data / "night")
    (mounted / "loop").symlink_to(mounted)
    log = RememberingLog()
    assert "night-shift" in (await library(mounted, log)).all()
    assert log.refused == []


async def test_the_chosen_skills_instructions_are_in_every_modes_prompt() -> None:
    for mode in ("rag_chat", "direct", "react_agent"):
        model = FakeModel(says("So [1]."))
        wanted = plan("q?", mode=mode, skills=("customer-service", "gone"), language="zh")
        events = await Rig(FakeEvidence({"q?": [PASSAGE]}), model).run(wanted)
        system = model.requests[0].messages[0].content
        assert "## 客户服务\n你在替一线客服回答。" in system and "first-line support" not in system
        assert "never replaces them" in system
        detail = stages(events, "execute")[0].detail
        assert (detail["skills"], detail["unknown_skills"]) == (["customer-service"], ["gone"])


async def test_several_skills_are_brought_together() -> None:
    model = FakeModel(says("So [1]."))
    await Rig(FakeEvidence({"q?": [PASSAGE]}), model).run(plan("q?", skills=("product", "risk-control")))
    system = model.requests[0].messages[0].content
    assert system.index("several fields") < system.index("## Product") < system.index("## Risk control")


async def test_without_skills_a_prompt_speaks_of_none() -> None:
    model = FakeModel(says("So [1]."))
    events = await Rig(FakeEvidence({"q?": [PASSAGE]}), model).run(plan("q?"))
    assert "point of view" not in model.requests[0].messages[0].content
    assert "skills" not in stages(events, "execute")[0].detail


async def test_a_skills_tools_and_domains_hold_for_an_agent(tmp_path: Path) -> None:
    write(tmp_path, "night", skill_text(HEAD + "tools: [knowledge_search]\ndomains: [nights]\n"))
    search = ("knowledge_search", '{"question": "q?"}')
    evidence = FakeEvidence({"q?": [PASSAGE]})
    model = FakeModel(calls(search), says("So [1]."))
    rig = Rig(evidence, model, skills=await library(tmp_path))
    await rig.run(plan("q?", mode="react_agent", skills=("night-shift",)))
    assert [tool.name for tool in model.requests[0].tools] == ["knowledge_search"]
    assert evidence.questions[0].domains == ("nights",)


async def test_skills_and_tools_are_listed() -> None:
    rig = Rig(None, None)
    api = ExecutorApi(rig.executors, await library(None), lambda: rig.tools.specs)
    skills = (await api.ListSkills(None, None)).skills  # type: ignore[arg-type]
    assert [skill.code for skill in skills] == SHIPPED
    service = skills[2]
    assert (service.name, service.fallback) == ("客户服务 / Customer service", False)
    assert "保修" in service.keywords and service.when_to_use and not service.domains
    tools = (await api.ListTools(None, None)).tools  # type: ignore[arg-type]
    assert [(tool.name, tool.risk) for tool in tools] == [
        ("calculate", "read"),
        ("current_time", "read"),
        ("knowledge_search", "read"),
    ]
