import json
from itertools import groupby, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superagent_common.errors import ServiceError, Unavailable
from superagent_common.llm import ModelEvent, TextDelta, ThinkingDelta, ToolCall
from superagent_common.llm.chat_stream import ChatStreamReader, answer_of


def event(delta: dict[str, object] | None = None, finish: str | None = None, **fields: object) -> bytes:
    choices = [{"index": 0, "delta": delta or {}, "finish_reason": finish}]
    return (
        b"data: "
        + json.dumps({"choices": choices, **fields}, ensure_ascii=False).encode(errors="surrogatepass")
        + b"\n\n"
    )


def tool_part(**part: object) -> bytes:
    return event({"tool_calls": [part]})


def read(*pieces: bytes) -> tuple[list[ModelEvent], ChatStreamReader]:
    reader = ChatStreamReader("m", None)
    return [found for piece in pieces for found in reader.feed(piece)], reader


ANSWER = (
    b": keep-alive\n\n"
    + event({"role": "assistant", "content": ""})
    + event({"reasoning_content": "想一想"})
    + event({"content": "年假为"})
    + tool_part(index=0, id="a", function={"name": "search", "arguments": '{"q":'})
    + event({"content": "十天 🌴"})
    + tool_part(index=0, function={"arguments": ' "假"}'})
    + event(finish="tool_calls")
    + b'data: {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}\r\n\r\n'
    + b"data: [DONE]\n\n"
)


def joined(events: list[ModelEvent]) -> list[ModelEvent]:
    return [kind("".join(event.text for event in group)) for kind, group in groupby(events, type)]


@given(st.lists(st.integers(0, len(ANSWER)), max_size=40))
def test_it_does_not_matter_where_the_network_cuts(cuts: list[int]) -> None:
    borders = [0, *sorted(cuts), len(ANSWER)]
    events, reader = read(*(ANSWER[a:b] for a, b in pairwise(borders)))
    assert joined(events) == [ThinkingDelta("想一想"), TextDelta("年假为十天 🌴")]
    ending = reader.end()
    assert ending.tool_calls == (ToolCall("a", "search", '{"q": "假"}'),)
    assert ending.usage is not None
    assert (ending.usage.input_tokens, ending.usage.output_tokens) == (3, 4)
    assert ending.finish_reason == "tool_calls"


@given(
    st.binary(max_size=300)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "choices",
                        "delta",
                        "content",
                        "tool_calls",
                        "index",
                        "id",
                        "function",
                        "name",
                        "arguments",
                        "usage",
                        "finish_reason",
                        "error",
                        "code",
                        "message",
                        "prompt_tokens",
                        "completion_tokens",
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    ).map(lambda document: b"data: " + json.dumps(document).encode() + b"\n")
)
def test_garbage_is_a_failure_with_a_reason_and_never_a_crash(data: bytes) -> None:
    for reading in (lambda: read(data)[1].end(), lambda: answer_of(data.removeprefix(b"data: "), "m", None)):
        try:
            reading()
        except ServiceError as failure:
            assert failure.reason.startswith("model_")


def test_deep_nesting_is_garbage_too() -> None:
    with pytest.raises(Unavailable, match="cannot be read"):
        read(b"data: " + b"[" * 100_000 + b"\n")


def test_calls_that_share_an_index_are_told_apart_by_id() -> None:
    _, reader = read(
        tool_part(index=0, id="a", function={"name": "one", "arguments": "{}"}),
        tool_part(index=0, id="b", function={"name": "two", "arguments": "{}"}),
        event(finish="tool_calls"),
    )
    assert [call.name for call in reader.end().tool_calls] == ["one", "two"]


def test_calls_without_index_or_id_are_put_together_in_order() -> None:
    _, reader = read(
        tool_part(id="a", function={"name": "one", "arguments": '{"x"'}),
        tool_part(function={"arguments": ": 1}"}),
        tool_part(id="b", function={"name": "two"}),
        event(finish="tool_calls"),
    )
    assert reader.end().tool_calls == (ToolCall("a", "one", '{"x": 1}'), ToolCall("b", "two", "{}"))


def test_a_call_without_an_id_gets_one() -> None:
    _, reader = read(tool_part(index=0, function={"name": "one", "arguments": "{}"}), event(finish="tool_calls"))
    assert reader.end().tool_calls == (ToolCall("call_0", "one", "{}"),)


def test_pieces_that_are_read_together_are_joined_by_kind() -> None:
    events, _ = read(
        event({"reasoning_content": "a"})
        + event({"reasoning_content": "b"})
        + event({"content": "c"})
        + event({"content": "d"})
    )
    assert events == [ThinkingDelta("ab"), TextDelta("cd")]


def test_what_came_before_a_failure_is_given_before_it_is_raised() -> None:
    given = ChatStreamReader("m", None).feed(event({"content": "a"}) + event({"content": "b"}) + b"data: {broken\n\n")
    assert next(given) == TextDelta("ab")
    with pytest.raises(Unavailable):
        next(given)


def test_the_end_marker_alone_ends_an_answer() -> None:
    events, reader = read(event({"content": "whole"}), b"data: [DONE]\n\n")
    assert events == [TextDelta("whole")]
    assert reader.end().finish_reason == "stop"


@pytest.mark.parametrize("reason", ["error", "abort", "insufficient_system_resource"])
def test_a_finish_reason_that_means_failure_is_one(reason: str) -> None:
    _, reader = read(event({"content": "half"}), event(finish=reason))
    with pytest.raises(Unavailable) as failure:
        reader.end()
    assert failure.value.reason == "model_stream_broken"


NO_USAGE = [
    f'{{"prompt_tokens": {figure}, "completion_tokens": 2}}'
    for figure in ("NaN", "Infinity", "-Infinity", "1e400", "-1", "null", '"many"', "[]", "1" + "0" * 30, "100000001")
] + ["true", "[1, 2]", '"x"', '{"prompt_tokens": 1}']


@pytest.mark.parametrize("usage", NO_USAGE)
def test_a_usage_that_is_none_takes_nothing_from_the_answer(usage: str) -> None:
    told = b'data: {"choices": [], "usage": ' + usage.encode() + b"}\n\n"
    events, reader = read(event({"content": "whole"}), event(finish="stop"), told)
    ending = reader.end()
    assert (events, ending.usage, ending.finish_reason) == ([TextDelta("whole")], None, "stop")
    choice = '{"message": {"content": "whole"}, "finish_reason": "stop"}'
    answer, _ = answer_of(f'{{"choices": [{choice}], "usage": {usage}}}'.encode(), "m", None)
    assert (answer.text, answer.usage) == ("whole", None)


HALVES = (rb"\ud83d", rb"\ude00 ", rb"\ud800 \udc00", rb"\ud83d")


def test_characters_whose_halves_come_apart_come_whole() -> None:
    halves = [
        event({"content": "a"}),
        *(b'data: {"choices": [{"delta": {"content": "%b"}}]}\n' % each for each in HALVES),
    ]
    events, _ = read(*halves, event({"content": "b"}))
    assert events == [TextDelta("a"), TextDelta("\U0001f600 "), TextDelta("? ?"), TextDelta("?b")]
    thought, _ = read(*(half.replace(b"content", b"reasoning") for half in halves[1:3]))
    assert thought == [ThinkingDelta("\U0001f600 ")]


def test_text_that_comes_at_once_has_no_halves_and_no_nul_either() -> None:
    body = rb'{"choices": [{"message": {"content": "\ud83d\ude00 \ud83d \u0000b"}, "finish_reason": "stop"}]}'
    assert answer_of(body, "m", None)[0].text == "\U0001f600 ? b"


def test_a_field_that_nobody_knows_is_passed_over_and_so_is_data_of_nothing() -> None:
    events, reader = read(event({"content": "a"}), b"data\nx-load: 5\ndata:\n\n", event({"content": "b"}, "stop"))
    assert (events, reader.end().finish_reason) == ([TextDelta("a"), TextDelta("b")], "stop")


@pytest.mark.parametrize(
    "part",
    [
        {"index": 0, "function": {"name": "one", "arguments": "x" * 100_000}},
        {"index": None, "id": "a", "function": {"name": "one"}},
    ],
)
def test_tool_calls_without_end_do_not_fill_the_memory(part: dict[str, object]) -> None:
    reader = ChatStreamReader("m", None)
    with pytest.raises(Unavailable, match="tool calls without end"):
        for _ in range(10_000):
            list(reader.feed(tool_part(**part)))


def test_long_arguments_in_many_small_pieces_are_no_calls_without_end() -> None:
    pieces = [tool_part(index=0, function={"arguments": "1,"}) for _ in range(20_000)]
    _, reader = read(tool_part(index=0, id="a", function={"name": "one"}), *pieces, event(finish="tool_calls"))
    assert len(reader.end().tool_calls[0].arguments) == 40_000


def test_an_id_that_nobody_can_carry_is_made_one() -> None:
    _, reader = read(tool_part(index=0, id="NUL\0" + "x" * 1000, function={"name": "one"}), event(finish="tool_calls"))
    assert reader.end().tool_calls[0].id == "NUL" + "x" * 125


def test_a_line_without_end_does_not_fill_the_memory() -> None:
    reader = ChatStreamReader("m", None)
    with pytest.raises(Unavailable, match="without end"):
        for _ in range(10):
            list(reader.feed(b"data: " + b"x" * 1024 * 1024))
