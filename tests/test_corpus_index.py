"""What `make corpus` makes of an index of documents, without a fleet."""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.corpus_index import RULINGS, Row, Seen, allowed_ends, read_index
from evals.corpus_report import Outcome, report, summary


@pytest.mark.parametrize(
    ("expected", "allowed"),
    [
        ("READY", (Seen("READY"),)),
        ("FAILED:encrypted", (Seen("FAILED", "encrypted"),)),
        ("READY or FAILED:unreadable", (Seen("READY"), Seen("FAILED", "unreadable"))),
        ("FAILED:no_text without OCR, READY with OCR", (Seen("FAILED", "no_text"),)),
    ],
)
def test_an_expectation_allows_what_it_says(expected: str, allowed: tuple[Seen, ...]) -> None:
    assert allowed_ends(expected) == allowed


def test_with_text_recognition_the_other_side_holds() -> None:
    assert allowed_ends("FAILED:no_text without OCR, READY with OCR", with_ocr=True) == (Seen("READY"),)
    assert allowed_ends("READY or FAILED:unreadable", with_ocr=True) == (Seen("READY"), Seen("FAILED", "unreadable"))


@pytest.mark.parametrize("expected", ["", "FAILED", "READY:why", "maybe", "READY or"])
def test_an_expectation_that_is_not_understood_is_no_expectation(expected: str) -> None:
    with pytest.raises(ValueError, match="not understood"):
        allowed_ends(expected)


def test_an_index_without_its_columns_is_refused(tmp_path: Path) -> None:
    (tmp_path / "INDEX.tsv").write_text("path\tkind\na.txt\ttxt\n")
    with pytest.raises(ValueError, match="expected"):
        read_index(tmp_path)


def test_another_end_than_expected_is_a_disagreement(tmp_path: Path) -> None:
    (tmp_path / "INDEX.tsv").write_text("path\tkind\texpected\na.txt\ttxt\tREADY\nb.pdf\tpdf\tFAILED:encrypted\n")
    good, bad = read_index(tmp_path)
    outcomes = [
        Outcome(good, Seen("READY"), 1.25, {"blocks": 4, "headings": 2, "tables": 1, "pages": 0}),
        Outcome(bad, Seen("FAILED", "unreadable"), 0.5),
    ]
    assert [outcome.agrees for outcome in outcomes] == [True, False]
    assert not Outcome(good, Seen("HANGS"), 900).agrees
    assert summary(outcomes).splitlines() == [
        "2 files, 1 end as expected (0 of them by a ruling).",
        "  b.pdf: FAILED:unreadable, expected FAILED:encrypted",
    ]
    page = report(outcomes, "the local embedder", "no tools")
    assert "| a.txt | READY |  | 4 | 2 | 1 | 0 | 1.2 | yes |" in page
    assert "| b.pdf | FAILED | unreadable |  |  |  |  | 0.5 | NO |" in page


def test_a_ruling_is_named_in_the_report_with_its_reason() -> None:
    row = Row("txt/empty.txt", "txt", "READY")
    assert not Outcome(row, Seen("READY"), 1).agrees
    page = report([Outcome(row, Seen("FAILED", "empty_file"), 1)], "the local embedder", "no tools")
    assert "by ruling" in page and RULINGS["txt/empty.txt"].why in page
