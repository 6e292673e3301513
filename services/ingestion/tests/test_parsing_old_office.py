"""Old Office files: what LibreOffice makes of them where it is installed, and what it may not do."""

from __future__ import annotations

import gzip
import json
import os
import select
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from services.ingestion.tests.document_samples import docx, dumped, word_paragraph, word_table, zip_of
from superagent_ingestion.adapters.parsing.documents import parse_document
from superagent_ingestion.adapters.parsing.equipment import Equipment, installed_soffice
from superagent_ingestion.adapters.parsing.libreoffice import ConversionFailed, converted
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.adapters.parsing.process import ParserProcess
from superagent_ingestion.adapters.parsing.reading import Tools
from superagent_ingestion.domain.blocks import Block, ParsedDocument
from superagent_ingestion.domain.rejection import DocumentRejected

GOLDEN = Path(__file__).parent / "golden"
LIMITS = ParserLimits(convert_seconds=60)
# Holds the writing end of a named pipe for as long as it lives.
_HOLD = """
import time
held = open("{fifo}", "w")
held.write("x")
held.flush()
time.sleep(600)
"""
WORD = docx(
    word_paragraph("差旅管理办法", heading=1)
    + word_paragraph("From LibreOffice.")
    + word_table([["a", "b"], ["1", "2"]])
)
needs_libreoffice = pytest.mark.skipif(installed_soffice() is None, reason="LibreOffice is not installed")


def _soffice(folder: Path, body: str) -> str:
    """A program that takes LibreOffice's arguments; `out` is where the result is expected, `source` the file."""
    program = folder / "soffice"
    program.write_text(
        f"#!{sys.executable}\nimport os, pathlib, subprocess, sys, time\n"
        "source = pathlib.Path(sys.argv[-1])\n"
        'out = pathlib.Path(sys.argv[sys.argv.index("--outdir") + 1])\n'
        "out = out / f\"source.{sys.argv[sys.argv.index('--convert-to') + 1]}\"\n"
        f"out.parent.mkdir(exist_ok=True)\n{body}\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return str(program)


# It starts slowly on a busy machine: until it is seen to have run, it gets more time.
_PATIENCE_SECONDS = (3, 15, 60)


def _ran(reader: int) -> bool:
    """Whether something held the named pipe since this was asked last, by its reading end."""
    return os.read(reader, 1) == b"x"


def _assert_ended(reader: int) -> None:
    ended, _, _ = select.select([reader], [], [], 60)
    assert ended and os.read(reader, 1) == b"", "it is still there"
    os.close(reader)


def _gives(folder: Path, content: bytes, body: str = "") -> str:
    made = folder / "made"
    made.write_bytes(content)
    return _soffice(folder, f"{body}\nout.write_bytes(pathlib.Path({str(made)!r}).read_bytes())")


def _parse(path: Path, soffice: str | None, limits: ParserLimits = LIMITS) -> ParsedDocument:
    return parse_document(path, path.name, limits, Tools(soffice=soffice))


def test_what_libreoffice_gives_is_read_with_headings_and_tables(tmp_path: Path) -> None:
    document = _parse(GOLDEN / "travel.doc", _gives(tmp_path, WORD))
    assert document.blocks == (
        Block("heading", "差旅管理办法", 1),
        Block("paragraph", "From LibreOffice."),
        Block("table", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
    )
    assert (document.media_type, document.parser) == ("application/msword", "LibreOffice and superagent docx")


def test_it_is_started_again_when_it_asks_for_it(tmp_path: Path) -> None:
    again = 'if not pathlib.Path("seen").exists():\n    pathlib.Path("seen").touch()\n    sys.exit(81)'
    assert "LibreOffice" in _parse(GOLDEN / "travel.doc", _gives(tmp_path, WORD, again)).parser


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("sys.exit(1)", "gave nothing"),
        ("os.abort()", "gave nothing"),
        ("sys.exit(81)", "gave nothing"),
        ("out.write_bytes(b'')", "gave nothing"),
        ("out.write_bytes(b'PK not really a document')", "gave something unreadable"),
        ("time.sleep(600)", "took longer than 0.5 seconds"),
        ("out.write_bytes(bytes(3 << 20))", "gave something unreadable"),
        ("bytearray(8 << 30)", "gave nothing"),
    ],
)
def test_whatever_goes_wrong_with_it_the_file_is_read_without_it(tmp_path: Path, body: str, why: str) -> None:
    limits = replace(LIMITS, convert_seconds=0.5 if "sleep" in body else 60, file_bytes=1 << 20)
    document = _parse(GOLDEN / "travel.doc", _soffice(tmp_path, body), limits)
    assert any("本办法适用于全体员工" in block.text for block in document.blocks)
    assert document.parser.startswith("xberg ")
    assert document.parser.endswith(f", because LibreOffice {why}")


def test_a_zip_bomb_that_it_gives_is_not_opened(tmp_path: Path) -> None:
    bomb = zip_of({"word/document.xml": bytes(64 << 20)})
    document = _parse(GOLDEN / "travel.doc", _gives(tmp_path, bomb))
    assert document.parser.endswith("because LibreOffice gave something unreadable")


def test_a_program_that_is_not_there_is_no_reason_to_fail(tmp_path: Path) -> None:
    document = _parse(GOLDEN / "travel.doc", str(tmp_path / "gone"))
    assert "because LibreOffice does not start" in document.parser


def test_all_that_it_started_ends_with_it(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    os.mkfifo(alive)
    reader = os.open(alive, os.O_RDONLY | os.O_NONBLOCK)
    inner = tmp_path / "inner.py"
    inner.write_text(_HOLD.format(fifo=str(alive)))
    program = _soffice(tmp_path, f"subprocess.Popen([sys.executable, {str(inner)!r}])\ntime.sleep(600)")
    folder = tmp_path / "work"
    folder.mkdir()
    for seconds in _PATIENCE_SECONDS:
        with pytest.raises(ConversionFailed, match="took longer"):
            converted(GOLDEN / "travel.doc", ".doc", "docx", folder, program, replace(LIMITS, convert_seconds=seconds))
        if _ran(reader):
            break
    else:
        raise AssertionError("it never ran")
    _assert_ended(reader)


def test_it_sees_a_fresh_profile_without_macros_and_none_of_our_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_API_KEY", "secret")
    seen = tmp_path / "seen.json"
    program = _soffice(
        tmp_path,
        "import json, urllib.parse\n"
        'profile = next(a for a in sys.argv if a.startswith("-env:UserInstallation=")).partition("file://")[2]\n'
        'settings = pathlib.Path(profile, "user", "registrymodifications.xcu").read_text()\n'
        f"pathlib.Path({str(seen)!r}).write_text(json.dumps([dict(os.environ), settings, profile]))",
    )
    folder = tmp_path / "work"
    folder.mkdir()
    with pytest.raises(ConversionFailed):
        converted(GOLDEN / "travel.doc", ".doc", "docx", folder, program, LIMITS)
    environment, settings, profile = json.loads(seen.read_text())
    assert "LLM_API_KEY" not in environment
    assert environment["HOME"] == environment["TMPDIR"] == str(folder)
    assert Path(profile).parent == folder
    for name, value in {"DisableMacrosExecution": "true", "BlockUntrustedRefererLinks": "true"}.items():
        assert f'<prop oor:name="{name}" oor:op="fuse"><value>{value}</value>' in settings


def test_nothing_is_left_beside_the_document(tmp_path: Path) -> None:
    stored = tmp_path / "store" / "content"
    stored.parent.mkdir()
    stored.write_bytes((GOLDEN / "travel.doc").read_bytes())
    parse_document(stored, "travel.doc", LIMITS, Tools(soffice=_gives(tmp_path, WORD)))
    assert list(stored.parent.iterdir()) == [stored]


async def test_a_document_that_takes_too_long_takes_libreoffice_with_it(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    os.mkfifo(alive)
    reader = os.open(alive, os.O_RDONLY | os.O_NONBLOCK)
    program = _soffice(tmp_path, _HOLD.format(fifo=str(alive)))
    path = tmp_path / "content"
    path.write_bytes((GOLDEN / "travel.doc").read_bytes())
    for seconds in _PATIENCE_SECONDS:
        parser = ParserProcess(replace(LIMITS, seconds=seconds, convert_seconds=500), Equipment(soffice=program))
        try:
            with pytest.raises(DocumentRejected) as caught:
                await parser.parse(path, "travel.doc")
        finally:
            await parser.aclose()
        assert caught.value.reason == "parse_timeout"
        if _ran(reader):
            break
    else:
        raise AssertionError("it never ran")
    _assert_ended(reader)


@needs_libreoffice
def test_a_word_file_gives_the_same_blocks_as_the_other_formats() -> None:
    document = _parse(GOLDEN / "travel.doc", installed_soffice())
    assert dumped(document.blocks) == (GOLDEN / "travel.blocks").read_text()
    assert document.title == "差旅管理办法"


@needs_libreoffice
def test_slides_keep_their_titles_pages_and_tables(tmp_path: Path) -> None:
    document = _parse(_presentation(tmp_path), installed_soffice())
    assert [(block.kind, block.text.split("\n")[-1], block.page) for block in document.blocks] == [
        ("heading", "差旅管理办法", 1),
        ("table", "| 成都 | 350 | 含早餐 |", 1),
        ("heading", "Submitting claims", 2),
        ("paragraph", "Receipts must be handed in within thirty days.", 2),
    ]
    assert document.pages == 2


def _presentation(folder: Path) -> Path:
    path = folder / "travel.ppt"
    path.write_bytes(gzip.decompress((GOLDEN / "travel.ppt.gz").read_bytes()))
    return path


@needs_libreoffice
def test_sheets_show_dates_and_percentages_as_people_see_them() -> None:
    document = _parse(GOLDEN / "travel.xls", installed_soffice())
    assert document.blocks == (
        Block("heading", "住宿标准", 1),
        Block("table", "| 城市 | 上限 | 自 |\n| --- | --- | --- |\n| 北京 | 25% | 2026-03-02 |"),
    )


def test_without_libreoffice_the_words_are_still_there(tmp_path: Path) -> None:
    for path in (GOLDEN / "travel.doc", _presentation(tmp_path), GOLDEN / "travel.xls"):
        document = _parse(path, None)
        assert any("北京" in block.text for block in document.blocks)
        assert document.parser.startswith("xberg ")
