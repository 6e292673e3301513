"""The figures behind an Office chart → a heading line and a table."""

from __future__ import annotations

import re

from superagent_ingestion.adapters.parsing.cleaning import one_line
from superagent_ingestion.adapters.parsing.safe_xml import Element
from superagent_ingestion.adapters.parsing.tables import table_block
from superagent_ingestion.domain.blocks import Block

_MOST_POINTS = 2_000
_LONG_FRACTION = re.compile(r"-?\d+\.\d{9,20}(?:[eE][-+]?\d{1,3})?")


def chart_blocks(chart_space: Element | None) -> list[Block]:
    """Its title, and a table with one row a category and one column a series."""
    chart = chart_space.first("chart") if chart_space else None
    if chart is None:
        return []
    title = chart.first("title")
    blocks: list[Block] = []
    about = one_line(" ".join(text.text() for text in title.every("t"))) if title else ""
    if about:
        blocks.append(Block("paragraph", about))
    series = list(chart.every("ser"))
    if not series:
        return blocks
    categories = next((found for entry in series if (found := _points(entry, "cat", "xVal"))), {})
    values = [_points(entry, "val", "yVal") for entry in series]
    numbers = sorted({*categories, *(number for points in values for number in points)})[:_MOST_POINTS]
    header = ["", *(" ".join(_points(entry, "tx").values()) for entry in series)]
    rows = [[categories.get(number, ""), *(points.get(number, "") for points in values)] for number in numbers]
    block = table_block([header, *rows])
    return [*blocks, block] if block else blocks


def _points(series: Element, *names: str) -> dict[int, str]:
    """The cached points of the first of these that is there, by their number."""
    holder = next((found for name in names if (found := series.first(name)) is not None), None)
    if holder is None:
        return {}
    points: dict[int, str] = {}
    for point in holder.every("pt"):
        value, number = point.first("v"), point.attributes.get("idx", "")
        if value is not None and number.isdigit():
            points[int(number)] = _short(one_line(value.text()))
    if not points and (alone := holder.first("v")) is not None:
        points[0] = one_line(alone.text())
    return points


def _short(value: str) -> str:
    """0.30000000000000004 is 0.3 to everybody who looks at the chart."""
    return f"{float(value):.12g}" if _LONG_FRACTION.fullmatch(value) else value
