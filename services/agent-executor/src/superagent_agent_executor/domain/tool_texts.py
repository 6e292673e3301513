"""What tools say, to the model and to people, in the language of the answer."""

from __future__ import annotations

from superagent_agent_executor.domain.plan import Language

_TEXTS: dict[str, tuple[str, str]] = {
    "unknown_tool": ("没有名为 {name} 的工具。可用的工具：{tools}。", "There is no tool {name}. There are: {tools}."),
    "arguments_not_json": (
        "参数不是有效的 JSON，请改正后重试。",
        "The arguments are not valid JSON. Correct them and try again.",
    ),
    "arguments_not_object": ("参数必须是一个 JSON 对象。", "The arguments must be one JSON object."),
    "arguments_too_long": ("参数太长。", "The arguments are too long."),
    "arguments_invalid": ("参数有误：{why}", "Wrong arguments: {why}"),
    "tool_withdrawn": (
        "{name} 在本轮已停用（{why}），不要再调用。其余可用的工具：{tools}。",
        "{name} is withdrawn for this run ({why}); do not call it again. What is left: {tools}.",
    ),
    "tool_failed": (
        "{name} 调用失败（{why}），本轮已停用，不要再调用。其余可用的工具：{tools}；否则请说明有什么没能查到。",
        "{name} failed ({why}) and is withdrawn for this run; do not call it again. What is left: {tools}; "
        "or say what could not be found out.",
    ),
    "failed_summary": ("调用失败：{why}", "failed: {why}"),
    "no_tools": ("无", "none"),
    "repeated": (
        "同样的调用本轮已经执行过，没有再次执行。当时的结果：",
        "This very call was made before in this run and was not made again. Its result was:",
    ),
    "repeated_summary": ("与之前的调用相同，沿用其结果", "same as an earlier call, whose result holds"),
    "limit_reached": ("已达到本轮上限，没有执行。", "A limit of this run is reached; not run."),
    "answer_now": (
        "已达到本轮上限（{limit}）。请不要再调用工具，就现有的结果作答，并说明哪些没有查到。",
        "The limit of this run is reached ({limit}). Call no more tools: answer from what there is, and say what is left open.",
    ),
    "limit_model_calls": ("模型调用 {count} 次", "model calls: {count}"),
    "limit_tool_rounds": ("工具轮次 {count} 轮", "rounds of tools: {count}"),
    "limit_tool_calls": ("工具调用 {count} 次", "tool calls: {count}"),
    "limit_deadline": ("用时 {count} 秒", "seconds: {count}"),
    "found": ("找到 {count} 段：{titles}", "passages found: {count} ({titles})"),
    "found_wider": (
        "在指定的知识域中没有结果，已扩大到全部可读文档。",
        "Nothing in the given domains; searched all readable documents instead.",
    ),
    "found_nothing": ("没有找到相关内容。", "Nothing was found."),
    "found_nothing_partial": (
        "没有找到相关内容，但目前只有部分检索可用，文档中可能仍有相关内容。",
        "Nothing was found, but a part of the search does not answer right now: the documents may hold it all the same.",
    ),
    "found_before": ("（内容见前面的结果）", "(shown in an earlier result)"),
    "evidence_used_up": (
        "本轮可用的资料字数已用完，请根据已找到的内容作答。",
        "The characters of evidence of this run are used up: answer from what was found.",
    ),
    "calc_empty": ("没有算式。", "There is nothing to calculate."),
    "calc_too_long": ("算式太长，最多 {count} 个字符。", "The expression is too long: at most {count} characters."),
    "calc_character": ("无法识别的字符“{token}”。", "“{token}” is not understood."),
    "calc_end": ("算式不完整。", "The expression is incomplete."),
    "calc_unexpected": ("“{token}”的位置不对。", "“{token}” is not expected there."),
    "calc_unknown": (
        "没有函数或常数“{token}”。可用：{known}。",
        "There is no function or constant “{token}”. There are: {known}.",
    ),
    "calc_arguments": ("函数 {token} 的参数个数不对。", "The function {token} takes another number of arguments."),
    "calc_division": ("除数为零。", "Division by zero."),
    "calc_undefined": ("这个运算没有定义。", "This has no defined value."),
    "calc_too_large": ("结果太大，不予计算。", "The result would be too large, so it is not calculated."),
    "calc_deep": ("括号嵌套太深。", "The parentheses are nested too deeply."),
    "time_zone_unknown": (
        "没有时区“{name}”，请用 IANA 名称，例如 Asia/Shanghai。",
        "There is no time zone “{name}”; use an IANA name such as Europe/Berlin.",
    ),
    "time_date_unknown": (
        "无法识别日期“{date}”，请写成 2026-12-31。",
        "The date “{date}” is not understood; write it as 2026-12-31.",
    ),
    "time_out_of_range": ("日期超出可计算的范围。", "The date is out of range."),
}


def say_tool(key: str, language: Language, **values: str) -> str:
    """The sentence for `key` with its values filled in."""
    chinese, english = _TEXTS[key]
    return (chinese if language == "zh" else english).format(**values)
