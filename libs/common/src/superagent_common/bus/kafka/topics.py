"""Makes the topics that are missing."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient, NewTopic

from superagent_common.bus.kafka.client import KafkaSettings, Outage

_ADMIN_SECONDS = 2.0
_RETRY_SECONDS = (0.2, 0.5, 1.0, 2.0, 5.0)


def ensure_topics(settings: KafkaSettings, topics: Iterable[str], outage: Outage, stop: threading.Event) -> bool:
    """Makes the topics that are missing; blocks until they are there (True) or until `stop` is set (False)."""
    admin = AdminClient(settings.client(outage))
    tries = 0
    while not stop.is_set():
        try:
            _make_missing(admin, settings, set(topics))
        except KafkaException as error:
            outage.report(error.args[0])
        else:
            outage.end()
            return True
        stop.wait(_RETRY_SECONDS[min(tries, len(_RETRY_SECONDS) - 1)])
        tries += 1
    return False


def _make_missing(admin: AdminClient, settings: KafkaSettings, topics: set[str]) -> None:
    missing = topics - set(admin.list_topics(timeout=_ADMIN_SECONDS).topics)
    if not missing:
        return
    config = {"retention.ms": str(settings.retention_seconds * 1000)}
    # Without a replication factor the brokers' default applies.
    wanted = [NewTopic(topic, num_partitions=settings.partitions, config=config) for topic in missing]
    for made in admin.create_topics(wanted, operation_timeout=_ADMIN_SECONDS).values():
        try:
            made.result(timeout=2 * _ADMIN_SECONDS)
        except TimeoutError:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT)) from None
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise
