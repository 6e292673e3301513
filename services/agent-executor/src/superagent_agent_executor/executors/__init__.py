"""One executor per mode; each is an async generator of events."""

from superagent_agent_executor.executors.dispatch import Executors

__all__ = ["Executors"]
