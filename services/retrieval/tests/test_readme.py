"""The README is what other teams program against: it names every reason that the service gives."""

from __future__ import annotations

import ast
from pathlib import Path

SERVICE = Path(__file__).parents[1]
KINDS = {"InvalidInput", "NotFound", "Conflict", "Unavailable", "Forbidden", "Exhausted", "Timeout", "_Missing"}
# What a search goes on without, so that it leaves the service in an answer at most.
NEVER_AN_ERROR = {"engine_answer_invalid", "paraphrase_failed", "rerank_down", "rerank_failed"}
# Ends the start of the process.
AT_START = {"embedding_model_switch"}


def reasons() -> set[str]:
    """First arguments of the kinds of failure in the service's sources."""
    found: set[str] = set()
    for source in (SERVICE / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KINDS and node.args:
                found |= {
                    each.value
                    for each in ast.walk(node.args[0])
                    if isinstance(each, ast.Constant) and isinstance(each.value, str)
                }
    return found


def test_the_readme_names_every_reason() -> None:
    readme = (SERVICE / "README.md").read_text(encoding="utf-8")
    raised = reasons()
    assert {"empty_question", "keyword_index_down", "unknown_document"} < raised
    assert [reason for reason in sorted(raised - NEVER_AN_ERROR - AT_START) if f"`{reason}`" not in readme] == []
