"""How Excel shows a number: as a date, a time, a share or as it is."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from superagent_ingestion.adapters.parsing.safe_xml import Element

# Formats every workbook has without stating them: 14–22 and 45–47 are dates and times, 27–36 and 50–58 those of East Asia.
_BUILT_IN = {9: "0%", 10: "0.00%", 14: "y-m-d", 15: "y-m-d", 16: "m-d", 17: "y-m", 22: "y-m-d h:m"}
_BUILT_IN |= dict.fromkeys((18, 19, 20, 21, 32, 33, 45, 46, 47, 55, 56), "h:m")
_BUILT_IN |= dict.fromkeys((27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58), "y-m-d")
# Quoted and escaped text, conditions and colours; an elapsed time in brackets stays.
_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)
_ELAPSED = re.compile(r"\[[hms]+\]", re.IGNORECASE)
_DECIMALS = re.compile(r"\.([0#?]+)[^%]*%")
# An m beside hours or seconds is minutes, any other m months.
_MINUTES = re.compile(r"am/pm|a/p|上午/下午|h+[^a-z]*m+|m+[^a-z]*s+|[hs]", re.IGNORECASE)
_DAY = re.compile(r"[ymd]", re.IGNORECASE)
_LAST_DAY = 2_958_465


class NumberFormats:
    """Of one workbook; `is_1904` when it counts days from 1904 as old Macs did."""

    def __init__(self, styles: Element | None, *, is_1904: bool) -> None:
        stated = {
            entry.attributes.get("numFmtId", ""): entry.attributes.get("formatCode", "")
            for entry in (styles.first("numFmts") if styles else None) or ()
        }
        cells = styles.first("cellXfs") if styles else None
        numbers = [entry.attributes.get("numFmtId", "0") for entry in cells or () if entry.tag == "xf"]
        codes = [stated.get(number) or _BUILT_IN.get(int(number) if number.isdigit() else 0, "") for number in numbers]
        # The first section is that of positive numbers.
        self._codes = [_LITERAL.sub("", code.partition(";")[0]) for code in codes]
        self._epoch = datetime(1904, 1, 1) if is_1904 else datetime(1899, 12, 30)

    def shown(self, raw: str, style: str) -> str:
        """The value as text; dates in ISO form. What is no number comes back as it is."""
        number = int(style) if style.isdigit() else 0
        code = self._codes[number] if number < len(self._codes) else ""
        if code in ("", "General") and len(raw) < 16 and raw.isdigit():
            return raw
        try:
            value = float(raw)
        except ValueError:
            return raw
        if "%" in code:
            decimals = _DECIMALS.search(code)
            return f"{value * 100:.{len(decimals.group(1)) if decimals else 0}f}%"
        if code.lower() != "general" and not _ELAPSED.search(code) and 0 <= value <= _LAST_DAY:
            has_time = bool(_MINUTES.search(code))
            has_day = bool(_DAY.search(_MINUTES.sub("", code)))
            if has_day or has_time:
                time = "%H:%M:%S" if "s" in code.lower() else "%H:%M"
                shape = f"%Y-%m-%d {time}" if has_day and has_time else "%Y-%m-%d" if has_day else time
                return (self._epoch + timedelta(seconds=round(value * 86_400))).strftime(shape)
        return f"{value:.15g}"
