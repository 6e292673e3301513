"""Use cases of turns."""

from superagent_orchestrator.application.turns import Turns

__all__ = ["Turns"]
