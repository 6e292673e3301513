"""Names of the topics: `superagent.<aggregate>.<past tense>.v1`, said once for producers and consumers."""

from __future__ import annotations

DOCUMENT_UPLOADED = "superagent.document.uploaded.v1"
DOCUMENT_INDEXED = "superagent.document.indexed.v1"
DOCUMENT_FAILED = "superagent.document.failed.v1"
DOCUMENT_DELETED = "superagent.document.deleted.v1"
CONVERSATION_DELETED = "superagent.conversation.deleted.v1"
TURN_COMPLETED = "superagent.turn.completed.v1"
