"""Use cases of memory."""

from superagent_memory.application.care import Care
from superagent_memory.application.conversations import Context, Memory
from superagent_memory.application.folding import Folding
from superagent_memory.application.person import PersonMemory
from superagent_memory.application.retention import Retention

__all__ = ["Care", "Context", "Folding", "Memory", "PersonMemory", "Retention"]
