"""Figures of uploads."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter

from superagent_ingestion.application.instant_uploads import Outcome


class InstantUploadMetrics:
    """Known contents by what came of them (ING-16); those that nobody proved in time count nowhere."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._tries = Counter(
            "instant_uploads_total", "Uploads whose content was known.", ("outcome",), registry=registry
        )

    def count(self, outcome: Outcome) -> None:
        self._tries.labels(outcome).inc()
