"""Dates in words: what day it is, what lies a number of days away, and how far two days are apart."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from superagent_agent_executor.domain.plan import Language
from superagent_agent_executor.domain.tools import Refusal

_DATE = re.compile(r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*日?(?:[T ].*)?")
_WEEKDAYS: dict[Language, tuple[str, ...]] = {
    "zh": ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}


def read_date(text: str) -> date:
    """A day written as 2026-12-31, 2026/12/31 or 2026年12月31日; a time behind it is left out. Raises Refusal."""
    match = _DATE.fullmatch(text.strip())
    try:
        if match:
            return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        pass  # the thirty-second of a month: refused below
    raise Refusal("time_date_unknown", date=text[:40])


def moment(now: datetime, zone: str, language: Language) -> str:
    """The time with its day, offset and week."""
    offset = f"{now:%z}"
    year, week, _ = now.isocalendar()
    day = _WEEKDAYS[language][now.weekday()]
    at = f"{now:%Y-%m-%d %H:%M:%S}"
    behind = f"{zone}, UTC{offset[:3]}:{offset[3:5]}"
    if language == "zh":
        return f"现在是 {at}，{day}（{behind}；{year} 年第 {week} 周）"
    return f"It is {at}, {day} ({behind}; week {week} of {year})"


def named_day(day: date, language: Language) -> str:
    """`2026-12-25 (Friday)`."""
    name = _WEEKDAYS[language][day.weekday()]
    return f"{day}（{name}）" if language == "zh" else f"{day} ({name})"


def shifted(day: date, days: int, language: Language) -> str:
    """The day that lies `days` away. Raises Refusal outside the calendar."""
    try:
        there = day + timedelta(days=days)
    except OverflowError:
        raise Refusal("time_out_of_range") from None
    if language == "zh":
        return f"{named_day(day, 'zh')}{'之后' if days >= 0 else '之前'} {abs(days)} 天是 {named_day(there, 'zh')}"
    direction = "after" if days >= 0 else "before"
    return f"{abs(days)} days {direction} {named_day(day, 'en')} is {named_day(there, 'en')}"


def distance(start: date, end: date, language: Language) -> str:
    """Days from one to the other, the first not counted; negative when the end lies before."""
    days = (end - start).days
    weeks, rest = divmod(abs(days), 7)
    if language == "zh":
        return f"从 {named_day(start, 'zh')}到 {named_day(end, 'zh')}：{days} 天（{weeks} 周零 {rest} 天）"
    return f"From {named_day(start, 'en')} to {named_day(end, 'en')}: {days} days ({weeks} weeks and {rest} days)"
