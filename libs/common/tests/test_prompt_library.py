"""Prompts that ship and the files that stand in for them: what is taken, what is refused, what stays."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from superagent_common.prompt_library import MAX_BYTES, PromptLibrary


class RecordedLog:
    """What was logged."""

    def __init__(self) -> None:
        self._lines: list[tuple[str, dict[str, Any]]] = []

    def info(self, event: str, **fields: Any) -> None:
        self._lines.append((event, fields))

    warning = info

    def events(self, name: str) -> list[dict[str, Any]]:
        return [fields for event, fields in self._lines if event == name]


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    folder = tmp_path / "shipped"
    (folder / "tools").mkdir(parents=True)
    (folder / "rag.md").write_text("Answer in $language.\n\n$context\n", encoding="utf-8")
    (folder / "tools" / "sum.md").write_text("Adds up; costs $5.\n", encoding="utf-8")
    (folder / "code.py").write_text("", encoding="utf-8")
    return folder


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    (folder / "tools").mkdir(parents=True)
    return folder


@pytest.fixture
def log() -> RecordedLog:
    return RecordedLog()


def opened(shipped: Path, own: Path | None, log: RecordedLog) -> PromptLibrary:
    return PromptLibrary(shipped, own, log)  # type: ignore[arg-type]


def written(file: Path, text: str | bytes) -> None:
    """With a time of its own, however quickly one follows another."""
    moved = file.stat().st_mtime_ns + 1_000_000 if file.exists() else None
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    if moved:
        os.utime(file, ns=(moved, moved))


async def test_a_file_stands_in_and_what_it_becomes_is_taken_up_and_taken_back(
    shipped: Path, own: Path, log: RecordedLog
) -> None:
    library = opened(shipped, own, log)
    await library.refresh()
    before = library.get("rag.md")
    assert before.filled(language="English", context="c") == "Answer in English.\n\nc\n"
    written(own / "rag.md", "\ufeff用 $language 回答。$context")
    written(own / "tools" / "sum.md", "Adds. $x $")
    await library.refresh()
    after = library.get("rag.md")
    assert after.filled(language="中文", context="") == "用 中文 回答。"
    assert library.get("tools/sum.md").text == "Adds. $x $", "plain text, as the shipped one"
    assert before.label != after.label and after.label.startswith("rag.md@")
    (own / "rag.md").unlink()
    await library.refresh()
    assert library.get("rag.md") == before
    assert log.events("prompt_taken_back")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("$language", "the placeholder $context is missing"),
        ("$language $context $secret", "unknown placeholder $secret"),
        ("$language $context costs $5", "a $ stands for itself as $$"),
        ("  \n", "the file is empty"),
        (b"$language $context \xff", "the file is not UTF-8"),
        ("$language $context" + "x" * MAX_BYTES, f"the file is larger than {MAX_BYTES} bytes"),
    ],
)
async def test_a_broken_file_leaves_the_last_good_one_and_says_what_is_wrong(
    shipped: Path, own: Path, log: RecordedLog, text: Any, reason: str
) -> None:
    library = opened(shipped, own, log)
    written(own / "rag.md", text)
    await library.refresh()
    assert library.get("rag.md").text.startswith("Answer in")
    assert log.events("prompt_refused")[0]["reason"] == reason
    written(own / "rag.md", "Good: $language $context")
    await library.refresh()
    written(own / "rag.md", text)
    await library.refresh()
    await library.refresh()
    assert library.get("rag.md").text == "Good: $language $context"
    refused = log.events("prompt_refused")
    assert len(refused) == 2, "told once for each change"
    assert refused[1]["kept"] == library.get("rag.md").label


async def test_a_name_that_does_not_ship_is_told(shipped: Path, own: Path, log: RecordedLog) -> None:
    library = opened(shipped, own, log)
    written(own / "rga.md", "$language $context")
    written(own / ".hidden.md", "x")
    written(own / "readme.txt", "x")
    await library.refresh()
    (refused,) = log.events("prompt_refused")
    assert refused["file"].endswith("rga.md") and "there are rag.md, tools/sum.md" in refused["reason"]
    assert library.find("rga.md") is None


async def test_while_it_is_watched_a_change_is_taken_up_without_being_asked(
    shipped: Path, own: Path, log: RecordedLog
) -> None:
    written(own / "rag.md", "One: $language $context")
    async with opened(shipped, own, log).watching(0.01) as library:
        assert library.get("rag.md").text == "One: $language $context"
        written(own / "rag.md", "Two: $language $context")
        async with asyncio.timeout(120):
            while len(log.events("prompt_loaded")) < 2:
                await asyncio.sleep(0.01)
        assert library.get("rag.md").text == "Two: $language $context"
