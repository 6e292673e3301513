"""What is remembered of a person: only what they allow, only what they asked for."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.memory.tests.memory_rig import Rig, rigged
from superagent_common.errors import Conflict, NotFound
from superagent_memory.domain.wishes import shown_items, wish_of
from tests.support.memory_turns import ANNA, BEN, turn


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with rigged(tmp_path) as made:
        yield made


@pytest.mark.parametrize(
    ("question", "wish"),
    [
        ("Remember that I prefer answers in German.", "I prefer answers in German."),
        ("please remember: my team is logistics", "my team is logistics"),
        ("Keep in mind that I work in Lyon. Thanks!", "I work in Lyon. Thanks!"),
        ("请记住我的工号是48213", "我的工号是48213"),
        ("记住：以后都用中文回答。", "以后都用中文回答。"),
        ("Remember that I like\0 tea.", "I like tea."),
        ("帮我记一下明天交报告", None),
        ("Do you remember that I like tea?", None),
        ("你记住了吗？", None),
        ("I remember that day.", None),
        ("What does the policy say about remembering?", None),
        ("remember", None),
    ],
)
def test_wishes_are_what_is_asked_to_be_remembered(question: str, wish: str | None) -> None:
    assert wish_of(question) == wish


def test_a_plan_gets_the_newest_items_that_fit_oldest_first() -> None:
    assert shown_items(["new", "older", "oldest"]) == ("oldest", "older", "new")
    assert shown_items([f"{number:03d}" + "x" * 297 for number in range(100)])[-1].startswith("000")
    assert len(shown_items(["x" * 300] * 100)) == 6


async def test_nothing_is_remembered_until_it_is_allowed(rig: Rig) -> None:
    made = await rig.new()
    await rig.tell(made, turn("Remember that I like tea."))
    assert await rig.person.get(ANNA) == (False, [])
    with pytest.raises(Conflict) as refused:
        await rig.person.update(ANNA, None, "likes tea")
    assert refused.value.reason == "memory_off"


async def test_wishes_and_added_items_reach_later_conversations_while_it_is_on(rig: Rig) -> None:
    assert (await rig.person.update(ANNA, True, "I work in Lyon."))[0]
    made = await rig.new()
    await rig.tell(made, turn("Remember that I like tea."), turn("Thanks"))
    enabled, items = await rig.person.get(ANNA)
    assert (enabled, [item.text for item in items]) == (True, ["I like tea.", "I work in Lyon."])
    assert [item.conversation_id for item in items] == [made, ""]

    expected = ("I work in Lyon.", "I like tea.")
    _, at_the_start = await rig.memory.create(ANNA, "", "", "none", "Which drink?")
    assert at_the_start == expected
    for strategy in ("none", "sliding_window", "summary"):
        assert (await rig.memory.load(ANNA, made, strategy)).long_term == expected  # type: ignore[arg-type]

    await rig.person.update(ANNA, False, "")
    assert (await rig.memory.load(ANNA, made)).long_term == ()
    await rig.tell(made, turn("Remember that I hate coffee."))
    assert len((await rig.person.get(ANNA))[1]) == 2


async def test_what_was_said_before_it_was_allowed_is_not_remembered(rig: Rig) -> None:
    made = await rig.new()
    said_at = rig.clock.at
    await rig.person.update(ANNA, True, "")
    await rig.completed(made, "Remember that I like tea.", started_at=said_at)
    assert (await rig.person.get(ANNA))[1] == []
    allowed_at = rig.clock.at
    await rig.person.update(ANNA, True, "")
    await rig.completed(made, "Remember that I like coffee.", started_at=allowed_at)
    assert len((await rig.person.get(ANNA))[1]) == 1


async def test_the_same_event_twice_remembers_once(rig: Rig) -> None:
    await rig.person.update(ANNA, True, "")
    made = await rig.new()
    for _ in range(2):
        await rig.completed(made, "Remember that I like tea.")
    assert len((await rig.person.get(ANNA))[1]) == 1


async def test_items_are_their_persons_alone(rig: Rig) -> None:
    await rig.person.update(BEN, True, "")
    _, (item,) = await rig.person.update(ANNA, True, "secret")
    assert await rig.person.get(BEN) == (True, [])
    with pytest.raises(NotFound) as refused:
        await rig.person.forget(BEN, item.item_id)
    assert refused.value.reason == "unknown_memory_item"
    await rig.person.forget(ANNA, item.item_id)
    with pytest.raises(NotFound):
        await rig.person.forget(ANNA, item.item_id)
    # Forgetting all of nothing is no error.
    await rig.person.forget(ANNA, "")
