"""Checks a document against the part of JSON Schema that structured answers use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

_MOST_SHOWN = 5
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}


def violations(document: object, schema: Mapping[str, Any]) -> list[str]:
    """What is wrong, each with its place, at most five; empty for a document that fits.

    Knows type, enum, required, properties, items, minItems, maxItems, minimum, maximum. Further properties of an object
    are no fault: nobody reads them.
    """
    return list(islice(_violations(document, schema, "the answer"), _MOST_SHOWN))


def _violations(value: Any, schema: Mapping[str, Any], place: str) -> Iterator[str]:
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(_is(value, name) for name in types):
        yield f"{place} must be of type {' or '.join(types)}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place} must be one of {', '.join(schema['enum'])}"
    if isinstance(value, dict):
        yield from _of_object(value, schema, place)
    elif isinstance(value, list):
        yield from _of_array(value, schema, place)
    elif isinstance(value, (int, float)) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield f"{place} must be from {schema.get('minimum')} to {schema.get('maximum')}"


def _of_object(value: Mapping[str, Any], schema: Mapping[str, Any], place: str) -> Iterator[str]:
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{place} lacks {name}"
    for name, inner in schema.get("properties", {}).items():
        if name in value:
            yield from _violations(value[name], inner, name if place == "the answer" else f"{place}.{name}")


def _of_array(value: Sequence[Any], schema: Mapping[str, Any], place: str) -> Iterator[str]:
    fewest, most = schema.get("minItems", 0), schema.get("maxItems", len(value))
    if not fewest <= len(value) <= most:
        yield f"{place} has {len(value)} items, allowed are {fewest} to {most}"
        return
    for index, item in enumerate(value):
        yield from _violations(item, schema["items"], f"{place}[{index}]")


def _is(value: object, name: str) -> bool:
    if isinstance(value, bool) and name != "boolean":
        return False
    return isinstance(value, _TYPES[name])
