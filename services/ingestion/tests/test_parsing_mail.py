from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

import pytest

from services.ingestion.tests.document_samples import pdf, text_page
from services.ingestion.tests.office_samples import message
from superagent_ingestion.adapters.parsing.documents import parse_document
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.domain.blocks import Block, ParsedDocument


def _parse(folder: Path, content: bytes, name: str = "a.eml") -> ParsedDocument:
    path = folder / "object"
    path.write_bytes(content)
    return parse_document(path, name, ParserLimits())


def _texts(document: ParsedDocument) -> list[str]:
    return [block.text for block in document.blocks]


def test_attachments_are_noted_with_name_kind_and_size(tmp_path: Path) -> None:
    made = message("Report", "See attached.")
    made.add_attachment(bytes(range(256)) * 20, maintype="application", subtype="octet-stream", filename="模型.bin")
    made.add_attachment(b"x" * 900, maintype="image", subtype="png", filename="logo.png")
    document = _parse(tmp_path, bytes(made))
    assert _texts(document)[1].endswith(
        "Attachments: 模型.bin (application/octet-stream, 5 kB); logo.png (image/png, 1 kB)"
    )
    assert _texts(document)[2:] == ["See attached."]


def test_attached_documents_are_read_under_their_names(tmp_path: Path) -> None:
    made = message("Report", "See attached.")
    made.add_attachment(
        pdf([text_page("Budget 2027", size=22), text_page("The limit is 500.")]),
        maintype="application",
        subtype="pdf",
        filename="报告.pdf",
    )
    made.add_attachment("city,limit\nBeijing,500\n", subtype="csv", filename="limits.csv")
    document = _parse(tmp_path, bytes(made))
    assert list(document.blocks)[2:] == [
        Block("paragraph", "See attached."),
        Block("heading", "报告.pdf", 2),
        Block("heading", "Budget 2027", 3),
        Block("paragraph", "The limit is 500."),
        Block("heading", "limits.csv", 2),
        Block("table", "| city | limit |\n| --- | --- |\n| Beijing | 500 |"),
    ]


def test_an_attachment_that_cannot_be_read_says_why_and_hurts_nothing_else(tmp_path: Path) -> None:
    made = message("Report", "See attached.")
    locked = pdf([text_page("secret")], (b"open", b"own"))
    made.add_attachment(locked, maintype="application", subtype="pdf", filename="locked.pdf")
    made.add_attachment("Beijing is 500.", filename="note.txt")
    document = _parse(tmp_path, bytes(made))
    assert "locked.pdf (application/pdf, 1 kB, not read: The PDF needs a password" in document.blocks[1].text
    assert document.blocks[-1] == Block("paragraph", "Beijing is 500.")


def test_messages_in_attached_files_are_read_to_a_depth(tmp_path: Path) -> None:
    made = message("0", "innermost")
    for number in range(1, 8):
        outer = message(str(number), f"text {number}")
        outer.add_attachment(bytes(made), maintype="application", subtype="octet-stream", filename=f"{number}.eml")
        made = outer
    texts = _texts(_parse(tmp_path, bytes(made)))
    assert [text for text in texts if text.startswith("text")] == ["text 7", "text 6", "text 5", "text 4"]
    assert any("not read: Messages are attached in messages too deep" in text for text in texts)


def test_a_message_in_a_message_stands_a_level_below(tmp_path: Path) -> None:
    outer = message("Fwd: limits", "For your information.")
    outer.add_attachment(message("Limits", "Beijing is 500."))
    document = _parse(tmp_path, bytes(outer))
    assert [(block.text, block.level) for block in document.blocks if block.kind == "heading"] == [
        ("Fwd: limits", 1),
        ("Limits", 2),
    ]
    assert "Attachments: “Limits” (message)" in document.blocks[1].text
    assert document.blocks[-1].text == "Beijing is 500."


def test_a_chain_of_forty_messages_is_read_to_a_depth_and_noted_beyond(tmp_path: Path) -> None:
    made: EmailMessage = message("40", "innermost")
    for number in range(39, 0, -1):
        outer = message(str(number), f"text {number}")
        outer.add_attachment(made)
        made = outer
    document = _parse(tmp_path, bytes(made))
    assert [block.text for block in document.blocks if block.kind == "heading"] == [str(n) for n in range(1, 9)]
    assert "message/rfc822" in document.blocks[-2].text


@pytest.mark.parametrize("charset", ["utf-8", "gb2312", "gb18030", "big5", "iso-2022-jp"])
def test_subject_and_text_are_decoded(tmp_path: Path, charset: str) -> None:
    text = "日本東京" if charset == "iso-2022-jp" else "中文" if charset != "big5" else "繁體中文"
    made = EmailMessage()
    made["Subject"] = f"Re: {text}"
    made.set_content(text, charset=charset)
    document = _parse(tmp_path, bytes(made))
    assert (document.title, _texts(document)[-1]) == (f"Re: {text}", text)


def test_headers_with_raw_bytes_and_wrong_charsets_are_read(tmp_path: Path) -> None:
    head = ("From: 王小明 <wang@example.org>", "Subject: 关于报销", "Content-Type: text/plain; charset=no-such")
    document = _parse(tmp_path, "\r\n".join((*head, "", "请在三十日内提交。", "")).encode())
    assert _texts(document) == ["关于报销", "From: 王小明 <wang@example.org>", "请在三十日内提交。"]


def test_quoted_lines_lose_their_marks_and_keep_their_paragraphs(tmp_path: Path) -> None:
    document = _parse(tmp_path, bytes(message("Re", "Yes.\n> Is it 500?\n> Per night?\n>> Older.\nNew answer.\n")))
    assert _texts(document)[2:] == ["Yes.", "Is it 500?\nPer night?", "Older.", "New answer."]


def test_a_mailbox_holds_its_messages_under_their_subjects(tmp_path: Path) -> None:
    break_ = b"From anna@example.org Mon Mar  2 09:30:00 2026\n"
    first, second = bytes(message("One", "First text.\n>From here on.\n")), bytes(message("Two", "Second text.\n"))
    for name in ("a.mbox", "archive"):
        document = _parse(tmp_path, break_ + first + b"\n" + break_ + second, name)
        assert [block.text for block in document.blocks if block.kind == "heading"] == ["One", "Two"]
        assert "First text.\nFrom here on." in _texts(document)
        assert document.media_type == "application/mbox"


def test_a_message_without_anything_but_an_attachment_is_still_found_by_it(tmp_path: Path) -> None:
    made = EmailMessage()
    made["Subject"] = "Scan"
    made.add_attachment(b"x", maintype="image", subtype="png", filename="scan.png")
    assert list(_parse(tmp_path, bytes(made)).blocks) == [
        Block("heading", "Scan", 1),
        Block("paragraph", "Attachments: scan.png (image/png, 1 kB)"),
    ]
