"""The API's description: OpenAPI 3.1 as it really answers, and a page of it that loads nothing from elsewhere."""

from __future__ import annotations

import html
import json
from typing import Any

from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema
from starlette.routing import BaseRoute

from superagent_gateway.api.models.base import Problem
from superagent_gateway.api.models.events import TurnEvent
from superagent_gateway.api.models.memory import CompressDelta

TITLE = "Super Agent"
VERSION = "1"
_DESCRIPTION = (
    "Ask questions of your documents. Log in at /api/v1/auth/login and send the access token as a bearer token. "
    "Failures are problem+json (RFC 9457) with a stable `reason` and the `trace_id`."
)
_OPEN = frozenset(("/about", "/auth/register", "/auth/login", "/auth/refresh"))
_METHODS = ("get", "post", "put", "patch", "delete")
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}"
    "summary{cursor:pointer;padding:.3rem 0}code,pre{font-family:ui-monospace,monospace}"
    "pre{overflow:auto;padding:.6rem;border:1px solid #8885;border-radius:.4rem;font-size:.85rem}"
    "b{display:inline-block;min-width:4.5rem;text-transform:uppercase}"
)


def describe(routes: list[BaseRoute], prefix: str) -> dict[str, Any]:
    """The document for `routes`; those under `prefix` need a token unless they are how one gets it."""
    document = get_openapi(
        title=TITLE, version=VERSION, openapi_version="3.1.0", description=_DESCRIPTION, routes=routes
    )
    schemas = document["components"]["schemas"]
    # The framework announces its own validation answer, which never leaves this API.
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    _, described = models_json_schema(
        [(model, "serialization") for model in (Problem, TurnEvent, CompressDelta)],
        ref_template="#/components/schemas/{model}",
    )
    document["components"]["schemas"] = schemas | described["$defs"]
    document["components"]["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}}
    for path, operations in document["paths"].items():
        for method in _METHODS:
            if method not in operations:
                continue
            operations[method]["responses"].pop("422", None)
            if path.startswith(prefix) and path.removeprefix(prefix) not in _OPEN:
                operations[method]["security"] = [{"bearer": []}]
    return document


def docs_page(document: dict[str, Any]) -> str:
    """The document as one HTML page without scripts."""
    parts = [
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{TITLE} API</title><style>{_STYLE}</style>",
        f"<h1>{TITLE} API</h1><p>{html.escape(_DESCRIPTION)}</p>",
        "<p>For programs: <a href=/openapi.json>/openapi.json</a></p>",
    ]
    for path, operations in document["paths"].items():
        parts += [_operation(path, method, operations[method]) for method in _METHODS if method in operations]
    parts.append("<h2>Schemas</h2>")
    parts += [_schema(name, schema) for name, schema in sorted(document["components"]["schemas"].items())]
    return "".join(parts)


def _operation(path: str, method: str, operation: dict[str, Any]) -> str:
    shown = {key: operation[key] for key in ("parameters", "requestBody", "responses") if key in operation}
    text = html.escape(operation.get("description", ""))
    return (
        f"<details><summary><b>{method}</b> <code>{html.escape(path)}</code></summary><p>{text}</p>"
        f"{_json(shown)}</details>"
    )


def _schema(name: str, schema: dict[str, Any]) -> str:
    return f"<details><summary><code>{html.escape(name)}</code></summary>{_json(schema)}</details>"


def _json(value: Any) -> str:
    return f"<pre>{html.escape(json.dumps(value, indent=2, ensure_ascii=False))}</pre>"
