"""Gives a plan to the executor of its mode."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator

from superagent_agent_executor.domain.events import ExecutionEvent
from superagent_agent_executor.domain.plan import Plan
from superagent_agent_executor.executors.direct import ClarifyExecutor, DirectExecutor
from superagent_agent_executor.executors.joining import join_deltas
from superagent_agent_executor.executors.rag import RagExecutor
from superagent_agent_executor.executors.react import ReactExecutor
from superagent_common.errors import Unimplemented


class Executors:
    """All executors of this service."""

    def __init__(
        self, clarify: ClarifyExecutor, direct: DirectExecutor, rag: RagExecutor, react: ReactExecutor
    ) -> None:
        self._clarify = clarify
        self._direct = direct
        self._rag = rag
        self._react = react

    def run(self, plan: Plan) -> AsyncGenerator[ExecutionEvent, None]:
        """Events of the run. Raises Unimplemented for workflows, Unavailable when a model breaks off."""
        return join_deltas(self._dispatch(plan))

    def _dispatch(self, plan: Plan) -> AsyncIterator[ExecutionEvent]:
        match plan.mode:
            case "clarify":
                return self._clarify.run(plan)
            case "rag_chat":
                return self._rag.run(plan)
            case "direct":
                return self._direct.run(plan)
            case "react_agent":
                return self._react.run(plan)
            case "workflow":
                raise Unimplemented("not_implemented", "Workflows are not served by this version.")
