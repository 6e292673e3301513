"""Front matter of Markdown files: YAML between two lines of three hyphens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from superagent_common.errors import InvalidInput

_FENCE = "---"


class _Loader(yaml.SafeLoader):
    """Plain values only; a key that is given twice is a mistake, not the last one's win."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"{key.value} is given twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def split(text: str) -> tuple[Mapping[str, object], str]:
    """(front matter, body). Raises InvalidInput(invalid_front_matter) with the line's number."""
    lines = text.lstrip("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != _FENCE:
        raise _refused(1, "the file does not begin with ---")
    ends = (number for number, line in enumerate(lines[1:], start=1) if line.rstrip() == _FENCE)
    end = next(ends, None)
    if end is None:
        raise _refused(len(lines), "no closing --- was found")
    try:
        # The opening line stands in for itself, so that marks count the file's lines.
        fields = yaml.load("\n".join(["", *lines[1:end]]), _Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _refused(mark.line + 1 if mark else 1, error.problem or "not YAML") from None
    except (yaml.YAMLError, ValueError) as error:
        raise _refused(1, str(error).splitlines()[0]) from None
    if not isinstance(fields, dict) or not all(isinstance(name, str) for name in fields):
        raise _refused(2, "expected `key: value`")
    return fields, "\n".join(lines[end + 1 :]).strip()


def _refused(number: int, why: str) -> InvalidInput:
    return InvalidInput("invalid_front_matter", f"line {number}: {why}")
