"""Hints to workers over Celery: acked early, may get lost; the job's row is the truth."""

from __future__ import annotations

import asyncio

from celery import Celery
from kombu.exceptions import OperationalError
from opentelemetry.trace import SpanKind, Tracer
from redis.asyncio import Redis
from redis.exceptions import RedisError

from superagent_common.errors import Unavailable
from superagent_common.telemetry import PROPAGATOR

TASK = "superagent.ingest_due"
QUEUE = "ingestion"
_KEYS = "ingestion:celery:"


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
            "global_keyprefix": _KEYS,
        },
    )
    return app


class CeleryHints:
    """`Hints` as Celery messages without content: which job is next, the worker finds out when it is free."""

    def __init__(self, app: Celery, redis: Redis, tracer: Tracer) -> None:
        self._app = app
        self._redis = redis
        self._tracer = tracer

    async def waiting(self) -> int:
        try:
            return int(await self._redis.llen(_KEYS + QUEUE))  # type: ignore[misc]
        except RedisError as error:
            raise _unavailable() from error

    async def send(self, trace_parent: str) -> None:
        if not trace_parent:
            # A trace of this one span would tell nobody anything.
            await self._send()
            return
        parent = PROPAGATOR.extract({"traceparent": trace_parent})
        attributes = {"messaging.system": "celery", "messaging.destination.name": QUEUE}
        with self._tracer.start_as_current_span(
            f"send {TASK}", parent, SpanKind.PRODUCER, attributes, record_exception=False
        ):
            await self._send()

    async def _send(self) -> None:
        try:
            await asyncio.to_thread(self._app.send_task, TASK, retry=False, ignore_result=True)
        except (OperationalError, OSError) as error:
            raise _unavailable() from error


def _unavailable() -> Unavailable:
    return Unavailable("worker_queue_unavailable", "The workers' queue does not answer.")
