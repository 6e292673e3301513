"""Sentences that the executor says itself, in the language of the answer."""

from __future__ import annotations

from superagent_agent_executor.domain.plan import Language

_TEXTS: dict[str, dict[Language, str]] = {
    "no_evidence": {
        "zh": "当前文档中没有检索到足够证据。",
        "en": "The documents you may read do not hold enough evidence for this.",
    },
    "no_evidence_partial": {
        "zh": "暂时只能进行部分检索，没有找到足够证据；文档中可能仍有相关内容，请稍后再试。",
        "en": "A part of the search does not answer right now, and the rest did not find enough evidence. "
        "Your documents may hold some all the same: please try again later.",
    },
    "searched": {"zh": "检索内容：{questions}", "en": "Searched for: {questions}"},
    "searched_in": {"zh": "检索范围：{domains}", "en": "Searched in: {domains}"},
    "not_searched": {
        "zh": "这一部分暂时无法检索，请稍后再试。",
        "en": "This part could not be searched right now. Please try again later.",
    },
    "not_searched_question": {
        "zh": "暂时无法检索：{question}",
        "en": "Could not be searched right now: {question}",
    },
    "knowledge_unavailable": {
        "zh": "本轮无检索结果：知识库暂时不可用。",
        "en": "The knowledge base is unavailable right now, so this answer rests on no documents.",
    },
    "extract_intro": {"zh": "资料中与问题最相关的内容：", "en": "The most relevant passages found:"},
    "no_model": {
        "zh": "尚未配置语言模型，我只能回答知识库里有依据的问题。请管理员设置 LLM_MODEL 后再试。",
        "en": "No language model is configured, so I can only answer questions that the knowledge base covers. "
        "An administrator can set LLM_MODEL.",
    },
    "model_down": {
        "zh": "语言模型暂时不可用，请稍后再试。",
        "en": "The language model is unavailable right now. Please try again later.",
    },
    "agent_needs_model": {
        "zh": "这个问题要靠工具（计算、日期、检索等）来回答，而工具由语言模型调用；目前没有配置语言模型，所以无法回答。"
        "请管理员设置 LLM_MODEL 后再试。",
        "en": "This question is answered with tools, and a language model decides which to call. No language model is "
        "configured, so it cannot be answered. An administrator can set LLM_MODEL.",
    },
    "limit_reached": {
        "zh": "（已达到本轮上限：{limit}。以上是目前能给出的最好答案。）",
        "en": "(The limit of this run is reached – {limit}. This is the best answer so far.)",
    },
    "limit_unanswered": {
        "zh": "已达到本轮上限（{limit}），还没有得出答案。请换一种问法，或把问题拆小后再问。",
        "en": "The limit of this run was reached ({limit}) before there was an answer. "
        "Please ask in other words, or in smaller steps.",
    },
    "results_so_far": {"zh": "目前查到的结果：", "en": "What was found so far:"},
    "greeting": {
        "zh": "您好！我会根据您有权阅读的文档回答问题，并注明出处。请直接提问，或先上传文档。",
        "en": "Hello! I answer from the documents you may read and cite where each answer comes from. "
        "Ask a question, or upload a document first.",
    },
    "thanks": {"zh": "不客气！还有问题随时问我。", "en": "You are welcome! Ask whenever there is more."},
    "farewell": {"zh": "再见！", "en": "Goodbye!"},
    "acknowledgement": {"zh": "好的。还想了解什么？", "en": "All right. What else would you like to know?"},
    "capabilities": {
        "zh": "我根据您有权阅读的文档回答问题：支持追问和一次问几个问题，每句话都注明出处，可以点开原文核对。",
        "en": "I answer questions from the documents you may read: follow-ups and several questions at once are fine, "
        "and every statement cites its source for you to check.",
    },
    "command": {
        "zh": "目前还没有命令 /{name}。直接提问即可。",
        "en": "There is no command /{name} yet. Just ask your question.",
    },
}


def small_talk(kind: str, language: Language) -> str:
    """What is said to a greeting, to thanks, to a command; `kind` as the planner names it, for example `command:x`."""
    name, _, command = kind.partition(":")
    if name == "command":
        return say("capabilities", language) if command == "help" else say("command", language, name=command)
    return say(name, language)


def say(key: str, language: Language, **values: str) -> str:
    """The sentence for `key` with its values filled in."""
    return _TEXTS[key][language].format(**values)
