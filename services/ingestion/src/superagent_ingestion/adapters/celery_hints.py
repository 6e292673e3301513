"""Hints to workers over Celery: acked early, may get lost; the job's row is the truth."""

from __future__ import annotations

import asyncio

from celery import Celery
from kombu.exceptions import OperationalError
from opentelemetry.trace import SpanKind, Tracer, set_span_in_context

from superagent_common.errors import Unavailable
from superagent_common.telemetry import PROPAGATOR

TASK = "superagent.ingest_document"
QUEUE = "ingestion"
TRACEPARENT = "traceparent"


def celery_app(redis_url: str, *, hard_limit_seconds: float) -> Celery:
    """The app that both the sender and the workers use; results are not kept."""
    app = Celery("superagent-ingestion", broker=redis_url, set_as_current=False)
    app.conf.update(
        task_default_queue=QUEUE,
        task_ignore_result=True,
        task_acks_late=False,
        task_time_limit=hard_limit_seconds,
        worker_prefetch_multiplier=1,
        # With its own 4 s it kills children that start slowly on a loaded machine, and their successors likewise.
        worker_proc_alive_timeout=60,
        worker_hijack_root_logger=False,
        worker_soft_shutdown_timeout=1.0,
        broker_connection_retry_on_startup=True,
        broker_transport_options={
            "socket_keepalive": True,
            "socket_timeout": 10,
            "global_keyprefix": "ingestion:celery:",
        },
    )
    return app


class CeleryHints:
    """`Hints` as Celery messages, which carry the document's trace."""

    def __init__(self, app: Celery, tracer: Tracer) -> None:
        self._app = app
        self._tracer = tracer

    async def send(self, document_id: str, trace_parent: str) -> None:
        parent = PROPAGATOR.extract({TRACEPARENT: trace_parent})
        attributes = {"messaging.system": "celery", "messaging.destination.name": QUEUE}
        with self._tracer.start_as_current_span(
            f"send {TASK}", parent, SpanKind.PRODUCER, attributes, record_exception=False
        ) as span:
            headers: dict[str, str] = {}
            PROPAGATOR.inject(headers, set_span_in_context(span))
            try:
                await asyncio.to_thread(
                    self._app.send_task, TASK, args=(document_id,), headers=headers, retry=False, ignore_result=True
                )
            except (OperationalError, OSError) as error:
                raise Unavailable("worker_queue_unavailable", "The workers' queue does not answer.") from error
