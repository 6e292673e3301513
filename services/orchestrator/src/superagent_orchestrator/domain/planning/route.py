"""Which executor answers, from what each part of the question needs (PLAN-3, PLAN-11)."""

from __future__ import annotations

from dataclasses import dataclass

from superagent_orchestrator.domain.plan import Mode
from superagent_orchestrator.domain.planning.needs import Need, NeedMatch

KNOWLEDGE_SEARCH = "knowledge_search"
CALCULATE = "calculate"
CURRENT_TIME = "current_time"
WEB_SEARCH = "web_search"
FETCH_PAGE = "fetch_page"
WEATHER = "weather"
NEWS = "news"
ROUTE = "route"
# What an open agent may use when nothing narrows it.
OPEN_TOOLS = (KNOWLEDGE_SEARCH, CALCULATE, CURRENT_TIME, WEB_SEARCH, FETCH_PAGE)

_TOOLS: dict[Need, tuple[str, ...]] = {
    Need.KNOWLEDGE: (KNOWLEDGE_SEARCH,),
    Need.WEATHER: (WEATHER, WEB_SEARCH, CURRENT_TIME),
    Need.NEWS: (NEWS, WEB_SEARCH, FETCH_PAGE, CURRENT_TIME),
    Need.ROUTE: (ROUTE, WEB_SEARCH, CURRENT_TIME),
    Need.EVERYDAY: (WEB_SEARCH, FETCH_PAGE, CURRENT_TIME),
    Need.CALCULATION: (CALCULATE,),
    Need.CLOCK: (CURRENT_TIME, CALCULATE),
    Need.WEB: (WEB_SEARCH, FETCH_PAGE),
    Need.ACTION: OPEN_TOOLS,
}
_TALK = frozenset({Need.CHAT, Need.TEXT, Need.CONVERSATION})


@dataclass(frozen=True, slots=True)
class Route:
    """The mode, how sure the rules are (0 to 1), the tools an agent may use, and why.

    `acts`: something is to be done, not only answered. `sure`: neither knowledge nor judgement is called for.
    """

    mode: Mode
    confidence: float
    reason: str
    use_knowledge: bool
    tools_allowed: tuple[str, ...]
    acts: bool = False
    sure: bool = False


def route(needs: tuple[NeedMatch, ...]) -> Route:
    """Knowledge before open agent; an agent only where a part cannot be answered without tools."""
    kinds = [match.need for match in needs]
    tools = [match for match in needs if match.need is not Need.KNOWLEDGE and match.need not in _TALK]
    knowledge = Need.KNOWLEDGE in kinds
    sure = all(match.sure for match in needs)
    if tools:
        allowed = tuple(dict.fromkeys(tool for match in needs for tool in _TOOLS.get(match.need, ())))
        reason = ", ".join(f"{match.need} (“{match.words}”)" for match in tools)
        beside = " beside a knowledge question" if knowledge else ""
        why = f"needs tools: {reason}{beside}"
        return Route(Mode.REACT_AGENT, 0.9, why, knowledge, allowed, acts=Need.ACTION in kinds, sure=sure)
    if knowledge:
        return Route(Mode.RAG_CHAT, 0.7, "a question that documents may answer", True, ())
    reason = ", ".join(f"{match.need} (“{match.words}”)" for match in needs)
    return Route(Mode.DIRECT, 0.9, f"needs neither documents nor tools: {reason}", False, (), sure=sure)


def requested_route(mode: Mode) -> Route:
    """What the client asked for, whatever the question says."""
    knowledge = mode in (Mode.RAG_CHAT, Mode.REACT_AGENT)
    tools = OPEN_TOOLS if mode is Mode.REACT_AGENT else ()
    return Route(mode, 1.0, "requested by the client", knowledge, tools, acts=bool(tools), sure=mode is Mode.DIRECT)
