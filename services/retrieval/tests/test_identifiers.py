from __future__ import annotations

import pytest

from superagent_retrieval.domain.identifiers import identifiers, position_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("订单20231105的状态", ["20231105"]),
        ("What does max_connections do?", ["max_connections"]),
        ("spring.datasource.url 怎么配置", ["spring.datasource.url"]),
        ("错误码 E1042 和 ERR-77", ["e1042", "err-77"]),
        ("Is GPT-4o better?", ["gpt-4o"]),
        ("ping 10.0.3.1 or fe01", ["10.0.3.1", "fe01"]),
        ("use std::move and maxPoolSize", ["std::move", "maxpoolsize"]),
        ("SKU-0001, SKU-0001 and sku-0001", ["sku-0001"]),
    ],
)
def test_identifiers_are_found_whole_and_once(text: str, expected: list[str]) -> None:
    assert list(identifiers(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Who wrote this in the 20th century, in the 1990s?",
        "between 1914-1918 or on 2024-01-31 or 3/4/2024",
        "a 10-year-old and and/or well-known U.S. e-mail",
        "NASA and iPhone of McDonald cost 3.5 or 1,000",
        "年假有几天？",
        "\x00\ud800😀",
    ],
)
def test_everyday_words_numbers_and_dates_are_none(text: str) -> None:
    assert identifiers(text) == ()


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("see e1042.", 4),
        ("错误e1042是什么", 2),
        ("e10421, xe1042, e1042_b", -1),
        ("e10421 and e1042", 11),
        ("e1042", 0),
        ("", -1),
    ],
)
def test_an_identifier_is_found_only_as_a_whole(text: str, position: int) -> None:
    assert position_of("e1042", text) == position


def test_its_characters_are_no_pattern() -> None:
    assert position_of("10.0.3.1", "10x0y3z1") == -1
    assert position_of("a+b", "aab") == -1


@pytest.mark.parametrize("unit", ["a", "A", "aB", "i", "a1", "a_"])
def test_runs_too_long_for_a_name_are_not_looked_into(unit: str) -> None:
    assert identifiers(f"{unit * 4_000} E1042 {unit * 4_000}7") == ("e1042",)
