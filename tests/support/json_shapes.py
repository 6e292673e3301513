"""Checks JSON against the shapes of the contract: fields may be added, never renamed or left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Shape = type | Callable[[Any], bool] | Mapping[str, "Shape"] | list["Shape"]
"""A type, a predicate, `[shape]` for a list of such, or an object by field; a name ending in `?` may be missing."""

_UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def uuid7(value: Any) -> bool:
    """Ids are UUIDv7 strings."""
    return isinstance(value, str) and _UUID7.fullmatch(value) is not None


def utc(value: Any) -> bool:
    """Times are RFC 3339, in UTC."""
    return isinstance(value, str) and _TIME.fullmatch(value) is not None


def utc_or_null(value: Any) -> bool:
    return value is None or utc(value)


def str_or_null(value: Any) -> bool:
    return value is None or isinstance(value, str)


def one_of(*values: str) -> Callable[[Any], bool]:
    """One of these strings."""
    return lambda value: value in values


def number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def assert_shape(value: Any, shape: Shape, path: str = "$") -> None:
    """Raises AssertionError that names the place."""
    if isinstance(shape, Mapping):
        assert isinstance(value, dict), f"{path} is no object: {value!r}"
        for name, inner in shape.items():
            key = name.removesuffix("?")
            if key in value:
                assert_shape(value[key], inner, f"{path}.{key}")
            else:
                assert name.endswith("?"), f"{path}.{key} is missing among {sorted(value)}"
    elif isinstance(shape, list):
        assert isinstance(value, list), f"{path} is no list: {value!r}"
        for index, item in enumerate(value):
            assert_shape(item, shape[0], f"{path}[{index}]")
    elif isinstance(shape, type):
        # bool is an int in Python, not in JSON.
        is_fitting = isinstance(value, shape) and (shape is bool or not isinstance(value, bool))
        assert is_fitting, f"{path} is no {shape.__name__}: {value!r}"
    else:
        assert shape(value), f"{path} does not fit: {value!r}"
