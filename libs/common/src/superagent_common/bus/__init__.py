"""Events between services: outbox, relay, idempotent consumers, dead letters.

A producer writes an event in the transaction that changes its state (`Outbox.add`); `OutboxRelay` publishes it at
least once; an `EventConsumer` handles it exactly once, because the handler's changes and the event's id are committed
together.
"""

from superagent_common.bus.consumer import DEFAULT_RETRY_SECONDS, REMEMBERED_SECONDS, EventConsumer
from superagent_common.bus.dead_letter_api import DEAD_LETTER_ACCESS, DeadLetterApi
from superagent_common.bus.dead_letters import DeadLetters
from superagent_common.bus.event import Event, Subscription
from superagent_common.bus.kafka import KafkaPublisher, KafkaSettings, KafkaSource
from superagent_common.bus.outbox import Outbox
from superagent_common.bus.relay import OutboxRelay
from superagent_common.bus.tables import dead_letters_table, handled_events_table, outbox_table

__all__ = [
    "DEAD_LETTER_ACCESS",
    "DEFAULT_RETRY_SECONDS",
    "REMEMBERED_SECONDS",
    "DeadLetterApi",
    "DeadLetters",
    "Event",
    "EventConsumer",
    "KafkaPublisher",
    "KafkaSettings",
    "KafkaSource",
    "Outbox",
    "OutboxRelay",
    "Subscription",
    "dead_letters_table",
    "handled_events_table",
    "outbox_table",
]
