from __future__ import annotations

import pytest

from superagent_ingestion.adapters.parsing.charset import decode

ZH = "本手册说明差旅报销的规定。各个部门都应当遵守，逾期不予报销。员工应当妥善保存所有票据。"
TW = "本手冊說明差旅報銷的規定。各個部門都應當遵守，逾期不予報銷。員工應當妥善保存所有票據。"
JA = "この手引きは出張費の精算について説明します。領収書は三十日以内に提出してください。"
KO = "이 안내서는 출장비 정산 규정을 설명합니다. 영수증은 삼십 일 이내에 제출해야 합니다."
RU = "Это руководство объясняет правила возмещения командировочных расходов сотрудников."
AR = "يشرح هذا الدليل قواعد تسوية نفقات السفر. تقدم الإيصالات خلال ثلاثين يوما."
FR = "Le café coûte 3 € à la cantine ; les élèves y déjeunent volontiers près de la fenêtre."


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (ZH, "utf-8"),
        (ZH, "utf-8-sig"),
        (ZH, "utf-16"),
        (ZH, "utf-16-le"),
        (ZH, "utf-32"),
        (ZH, "gb18030"),
        (ZH, "hz"),
        (TW, "big5"),
        (JA, "shift_jis"),
        (JA, "euc_jp"),
        (JA, "iso2022_jp"),
        (KO, "euc_kr"),
        (KO, "iso2022_kr"),
        (RU, "cp1251"),
        (RU, "koi8_r"),
        (RU, "cp866"),
        (RU, "utf-16-le"),
        (RU, "utf-16-be"),
        (FR, "cp1252"),
        (FR, "utf-16-be"),
        (AR, "utf-16-le"),
    ],
)
def test_text_is_read_in_the_encoding_it_was_written_in(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding))[0] == text


def test_utf8_that_ends_in_the_middle_of_a_character_stays_utf8() -> None:
    assert decode(ZH.encode()[:-1]) == (ZH[:-1] + "\ufffd", "utf-8")


@pytest.mark.parametrize("text", [ZH, JA, RU])
def test_one_broken_byte_does_not_make_utf8_another_encoding(text: str) -> None:
    data = text.encode()
    assert decode(data[:30] + b"\xff" + data[30:]) == (
        text.encode()[:30].decode() + "\ufffd" + data[30:].decode(),
        "utf-8",
    )


@pytest.mark.parametrize(("first", "second"), [("utf-8", "gb18030"), ("gb18030", "utf-8")])
def test_lines_of_two_encodings_are_read_each_in_its_own(first: str, second: str) -> None:
    data = f"{ZH}\n".encode(first) * 3 + ZH.encode(second)
    assert decode(data)[0] == "\n".join([ZH] * 4)


def test_a_short_line_that_happens_to_be_utf8_stays_in_the_encoding_of_its_text() -> None:
    text = f"莫斯科大学\n{ZH}\n"
    assert decode(text.encode("gb18030"))[0] == text
