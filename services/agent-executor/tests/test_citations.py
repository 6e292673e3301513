"""Citation markers on their way to the reader: whatever is written, in whatever pieces, only what exists is shown."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from superagent_agent_executor.domain.citations import MARKER_CHARACTERS, CitationChecker

KNOWN = {1, 2, 3}


def checked(deltas: list[str]) -> tuple[str, list[int]]:
    checker = CitationChecker(KNOWN)
    text = "".join(checker.feed(delta) for delta in deltas) + checker.finish()
    return text, checker.cited


@pytest.mark.parametrize(
    ("deltas", "expected", "cited"),
    [
        (["It is so [1]."], "It is so [1].", [1]),
        (["It is so [9]."], "It is so .", []),
        (["so [", "1", "] and [", "7]"], "so [1] and ", [1]),
        (["so [", "1", ",", "2", "]"], "so [1][2]", [1, 2]),
        (["both [1, 2, 9]"], "both [1][2]", [1, 2]),
        (["[2][1][2]"], "[2][1][2]", [2, 1]),
        (["all [1-3], all [1–9]"], "all [1][2][3], all [1][2][3]", [1, 2, 3]),
        (["so [1", "-", "2]"], "so [1][2]", [1, 2]),
        (["digits [0-9], backwards [3-1]"], "digits [0-9], backwards [3-1]", []),
        (["两年【1】,电池六个月【2】。"], "两年[1],电池六个月[2]。", [1, 2]),
        (["两处都有【1，", "2】。"], "两处都有[1][2]。", [1, 2]),
        (["全角［１］、［９］和【１、２】"], "全角[1]、和[1][2]", [1, 2]),
        (["范围【1至3】"], "范围[1][2][3]", [1, 2, 3]),
        (["a list[0] and [x]"], "a list and [x]", []),
        (["in [2024], as [1] says"], "in [2024], as [1] says", [1]),
        (["ends with ["], "ends with [", []),
        (["[^1] footnote"], "[1] footnote", [1]),
        (["so [1](see chapter 3) and [9](see chapter 3)"], "so [1](see chapter 3) and (see chapter 3)", [1]),
        (["so [1](", "p. 3, [9])", " and [2](h"], "so [1](p. 3, ) and [2](h", [1, 2]),
        (["so [1](handbook.md), [9](htt", "y)"], "so [1](handbook.md), (htty)", [1]),
        (["[[9]] and [[1]]"], "[] and [[1]]", [1]),
        (["[9[9]] [1[7]], [[9]9] and [9【7】, 8]【1】"], "[9 [1, [9 and [9, 8[1]", [1]),
        (["[9 ", "[7", "]", " ", "]", "] [9[7]x]"], "[9   [9x]", []),
        (["[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]"], "[1][2][3]", [1, 2, 3]),
    ],
)
def test_only_known_markers_reach_the_reader(deltas: list[str], expected: str, cited: list[int]) -> None:
    assert checked(deltas) == (expected, cited)


@pytest.mark.parametrize(
    "text",
    [
        "see [1](https://example.org)",
        "see [[9]](https://example.org)",
        "see [the page](https://example.org/a[9])",
        "see [9](<HTTPS://example.org>) or [9](mailto:a@example.org)",
        "an image ![9](https://example.org/a.png)",
        "call `rows[9]` or ``a`[9]``",
        "```python\nrows[9] = [1]\n```\n",
        "> ~~~\n> rows[9]\n> ~~~\n",
        "````\n```\nrows[9]\n```\n[9]\n````\n",
        "- ```\n  rows[9]",
    ],
)
def test_code_and_links_stay_as_they_are(text: str) -> None:
    assert checked([text]) == (text, [])
    assert checked(list(text)) == (text, [])


@pytest.mark.parametrize(
    "before",
    ["```\nx\n```\n", "```x``` and ", "`x` and ", "a lone ` here\n", "~~gone~~ ", "[a](b c) ", "a](b) ", "【1】(x) "],
)
def test_behind_code_and_links_markers_are_checked_again(before: str) -> None:
    shown, cited = checked(list(f"{before}so [9][2]."))
    assert shown.endswith("so [2].")
    assert cited[-1] == 2


MARKDOWN = st.text(alphabet="ab [](12390,-^`~\n>】【［］１９、", max_size=60)


@given(MARKDOWN, st.data())
@example("[1](x)", None)
@example("[1](http://x) [9](https:/x) [[9]](<https://", None)
def test_how_deltas_are_cut_changes_nothing(text: str, data: st.DataObject | None) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8))) if data else range(1, len(text))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert checked(pieces) == checked([text])


@given(st.text(alphabet="ab [](1290,-^】【［］１９\n", max_size=60) | st.text(alphabet="[]9", max_size=12))
@example("[0[0]]]")
def test_no_unknown_number_is_left_in_prose(text: str) -> None:
    shown, cited = checked([text])
    assert set(cited) <= KNOWN
    # Four digits and more are no marker but a year or the like; a link's text and target are not ours.
    prose = re.sub(r"\]\([^)\s]*\)?", "](", shown)
    for marker in re.findall(r"(?<!\[)\[(\d{1,3})\](?!\]?\()", prose):
        assert int(marker) in KNOWN


@given(st.lists(st.text(alphabet="a [【1９,-^`", max_size=20), max_size=30))
def test_no_more_is_held_back_than_a_marker_can_be_long(deltas: list[str]) -> None:
    """Without closing brackets nothing is ever removed, so what was not shown yet is held back."""
    checker = CitationChecker(KNOWN)
    fed = shown = 0
    for delta in deltas:
        fed += len(delta)
        shown += len(checker.feed(delta))
        assert 0 <= fed - shown <= MARKER_CHARACTERS


@given(MARKDOWN)
def test_two_letters_behind_a_marker_nothing_is_held_back(text: str) -> None:
    checker = CitationChecker(KNOWN)
    checker.feed(text)
    assert checker.feed("zz").endswith("zz")
    assert checker.finish() == ""
