"""What every client of the brokers shares."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import structlog
from confluent_kafka import KafkaError


@dataclass(frozen=True, slots=True)
class KafkaSettings:
    """How to reach the brokers and what topics look like when they are made.

    `options` go to librdkafka as they are (`security.protocol`, `sasl.username` …). Kafka's own default keeps events
    for seven days; consumers must remember handled ids for longer than that.
    """

    bootstrap_servers: str
    client_id: str
    partitions: int = 6
    retention_seconds: int = 7 * 24 * 3600
    options: Mapping[str, str] = field(default_factory=dict, repr=False)

    def client(self, outage: Outage) -> dict[str, Any]:
        """The configuration that every kind of client shares."""
        return {
            "bootstrap.servers": self.bootstrap_servers,
            "client.id": self.client_id,
            "error_cb": outage.report,
            "logger": _LIBRARY_LOG,
            "log.connection.close": False,
            # Each attempt makes and ends threads in librdkafka: with its own 100 ms, ten clients burn 6 % of a core.
            "reconnect.backoff.ms": 500,
            "reconnect.backoff.max.ms": 3_000,
            "socket.keepalive.enable": True,
            **self.options,
        }


# librdkafka writes a line per attempt to reconnect; `Outage` says the same once.
_LIBRARY_LOG = logging.getLogger("librdkafka")
_LIBRARY_LOG.setLevel(logging.CRITICAL)


class Outage:
    """Logs that the brokers cannot be reached once per outage."""

    def __init__(self, client: str) -> None:
        self._client = client
        self.is_on = False
        self._log = structlog.get_logger()

    def report(self, error: KafkaError) -> None:
        """librdkafka's error callback; called in whichever thread polls."""
        if not self.is_on:
            self.is_on = True
            self._log.warning("kafka_unreachable", client=self._client, error=error.name())

    def end(self) -> None:
        """Something has worked."""
        if self.is_on:
            self.is_on = False
            self._log.info("kafka_reachable", client=self._client)
