"""JSON and JSON lines → blocks: records become tables, long parts sections, the rest names with values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from superagent_ingestion.adapters.parsing.cleaning import lines_of_prose, one_line
from superagent_ingestion.adapters.parsing.tables import table_block
from superagent_ingestion.domain.blocks import Block
from superagent_ingestion.domain.rejection import DocumentRejected

# A part that says more than this gets a heading of its own.
_SHORT = 200
_LONGEST_CELL = 500
_LONGEST_PROSE_NAME = 80


def json_blocks(text: str) -> list[Block]:
    """Raises DocumentRejected: unreadable for what is no JSON, nor one JSON value a line."""
    return list(_blocks(_value(text), "", 1))


def _value(text: str) -> Any:
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except RecursionError as error:
        raise DocumentRejected("unreadable", "The file nests its values without end.") from error
    except ValueError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        try:
            return [json.loads(line) for line in lines]
        except (ValueError, RecursionError):
            where = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else "a number"
            raise DocumentRejected("unreadable", f"The file is damaged: it is no JSON from {where} on.") from error


def _blocks(value: Any, name: str, level: int) -> Iterator[Block]:
    """level: of the heading that parts of this value would get."""
    if isinstance(value, dict):
        yield from _object(value, name, level)
    elif isinstance(value, list):
        yield from _array(value, name, level)
    elif _said(value):
        yield Block("paragraph", lines_of_prose(f"{name}: {_said(value)}" if name else _said(value)))


def _object(value: dict[str, Any], name: str, level: int) -> Iterator[Block]:
    lines: list[str] = []
    for key, part in value.items():
        flat = _flat(part)
        if flat is not None and len(flat) <= _SHORT:
            lines += [one_line(f"{key}: {flat}")] if flat else []
            continue
        if lines:
            yield Block("paragraph", "\n".join(lines))
            lines = []
        if flat is not None and len(key) <= _LONGEST_PROSE_NAME:
            yield Block("paragraph", lines_of_prose(f"{key}: {flat}"))
            continue
        yield Block("heading", one_line(key), min(level, 6))
        yield from _blocks(part, "", level + 1)
    if lines:
        yield Block("paragraph", "\n".join(lines))


def _array(values: Sequence[Any], name: str, level: int) -> Iterator[Block]:
    rows = _records(values)
    if rows:
        block = table_block(rows)
        yield from [block] if block else []
        return
    flat = [_flat(value) for value in values]
    if all(value is not None for value in flat):
        items = [f"- {one_line(value)}" for value in flat if value]
        yield from [Block("list", "\n".join(items))] if items else []
        return
    for number, value in enumerate(values, 1):
        if len(values) > 1:
            yield Block("heading", _title(value) or f"{name} {number}".strip(), min(level, 6))
        yield from _blocks(value, name, level + 1)


def _records(values: Sequence[Any]) -> list[list[str]]:
    """A header and a row each, when all are objects of short values that share most of their names."""
    if len(values) < 2 or not all(isinstance(value, dict) for value in values):
        return []
    rows = [{str(key): _flat(part) for key, part in value.items()} for value in values]
    if any(cell is None or len(cell) > _LONGEST_CELL for row in rows for cell in row.values()):
        return []
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names or sum(map(len, rows)) < 0.5 * len(names) * len(rows):
        return []
    return [names, *([row.get(name) or "" for name in names] for row in rows)]


def _flat(value: Any) -> str | None:
    """A scalar, or a list of short scalars, as text; None for what has parts of its own."""
    if isinstance(value, dict):
        if not value:
            return ""
        parts = [(key, _flat(part)) for key, part in value.items()] if len(value) <= 3 else []
        texts = [f"{key} {part}" for key, part in parts if part and not isinstance(value[key], (dict, list))]
        return ", ".join(texts) if texts and len(texts) == len(value) else None
    if isinstance(value, list):
        texts = [_said(part) for part in value if not isinstance(part, (dict, list))]
        joined = ", ".join(texts)
        return joined if len(texts) == len(value) and len(joined) <= _SHORT else None
    return _said(value)


def _title(value: Any) -> str:
    """What a record in a list calls itself."""
    if isinstance(value, dict):
        for key in ("title", "name", "question", "标题", "名称", "id"):
            if isinstance(value.get(key), (str, int)) and 0 < len(str(value[key])) <= _SHORT:
                return one_line(str(value[key]))
    return ""


def _said(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)
