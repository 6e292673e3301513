"""The end of a conversation, in one transaction."""

from __future__ import annotations

from sqlalchemy import ColumnElement, delete, insert, update

from superagent.memory.v1.memory_pb2 import ConversationDeleted
from superagent_common.bus import Outbox
from superagent_common.bus.topics import CONVERSATION_DELETED
from superagent_common.db import Connection
from superagent_memory.adapters.tables import conversations, dead_letters, deleted_conversations, memory_items


async def delete_conversation(
    connection: Connection, outbox: Outbox, conversation_id: str, condition: ColumnElement[bool], at: int
) -> bool:
    """Deletes a conversation if the condition holds, and tells those who have something of it; whether it did."""
    its_own = conversations.c.conversation_id == conversation_id
    if not (await connection.execute(delete(conversations).where(its_own, condition))).rowcount:
        return False
    # What has no foreign key. What a person wanted remembered stays theirs, without where it was said.
    await connection.execute(delete(dead_letters).where(dead_letters.c.key == conversation_id))
    said_there = memory_items.c.conversation_id == conversation_id
    await connection.execute(update(memory_items).where(said_there).values(conversation_id=""))
    await connection.execute(insert(deleted_conversations), {"conversation_id": conversation_id, "deleted_at": at})
    event = ConversationDeleted(conversation_id=conversation_id)
    await outbox.add(connection, CONVERSATION_DELETED, conversation_id, event)
    return True
