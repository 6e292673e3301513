"""Logs: an event name and fields, one line each, with the trace id where there is one."""

from __future__ import annotations

import logging
import sys
from typing import Any

import structlog

from superagent_common.settings import LogLevel
from superagent_common.telemetry import current_trace_id

Logger = structlog.stdlib.BoundLogger


def _add_trace_id(_: Any, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    if trace_id := current_trace_id():
        event["trace_id"] = trace_id
    return event


def configure(level: LogLevel) -> None:
    """Sets the process's log chain: JSON lines on standard error. Called once, by the runtime."""
    logging.basicConfig(
        level=logging.WARNING, stream=sys.stderr, format='{"event": "%(name)s", "message": "%(message)s"}'
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _add_trace_id,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False, default=str),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


def get_logger(service: str) -> Logger:
    """A logger whose lines carry the service's name."""
    return structlog.get_logger().bind(service=service)  # type: ignore[no-any-return]
