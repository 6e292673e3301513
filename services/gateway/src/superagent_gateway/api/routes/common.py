"""Parameters that several routes take."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Header, Query

from superagent.common.v1.common_pb2 import PageRequest
from superagent_common.paging import MAX_LIMIT
from superagent_gateway.api.models.base import Problem

IdempotencyKey = Annotated[
    str | None,
    Header(max_length=200, description="the same request with the same key gives the same answer, another one a 409"),
]
Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT)]
Cursor = Annotated[str, Query(max_length=1000, description="`next_cursor` of the page before")]
PREFIX = "/api/v1"

PROBLEMS: dict[int | str, dict[str, Any]] = {
    "default": {
        "description": "What went wrong",
        "content": {"application/problem+json": {"schema": {"$ref": f"#/components/schemas/{Problem.__name__}"}}},
    }
}
"""OpenAPI: any other status is a problem."""


def page(limit: int, cursor: str) -> PageRequest:
    """The contract's form of a page."""
    return PageRequest(limit=limit, cursor=cursor)
