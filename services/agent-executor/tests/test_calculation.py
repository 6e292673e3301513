"""The calculator: exact, bounded, and never surprised."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from superagent_agent_executor.domain.calculation import calculate
from superagent_agent_executor.domain.tool_texts import say_tool
from superagent_agent_executor.domain.tools import Refusal


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("-2^2", "-4"),
        ("2^3^2", "512"),
        ("2**10", "1024"),
        ("2^-3", "0.125"),
        ("0.1 + 0.2", "0.3"),
        ("1280 * 1.06", "1356.8"),
        ("99999999999999999999 * 99999999999999999999", "9999999999999999999800000000000000000001"),
        ("10%", "0.1"),
        ("200 * (1 + 10%)", "220"),
        ("15% of 80", "12"),
        ("50%*2", "1"),
        ("7 % 3", "1"),
        ("-7 % 3", "2"),
        ("-7 // 2", "-4"),
        ("1/3", "≈ 0.333333333333333"),
        ("1/7*7", "≈ 1"),
        ("round(10/3, 2)", "3.33"),
        ("round(2.675, 2)", "2.68"),
        ("round(1234567, -3)", "1235000"),
        ("floor(-1.5) + ceil(1.2)", "0"),
        ("sqrt(16)", "4"),
        ("SQRT(2)", "≈ 1.4142135623731"),
        ("max(1, 2, 3) - min(4, 5)", "-1"),
        ("mean(2, 4) + sum(1, 2, 3)", "9"),
        ("abs(-3)", "3"),
        ("pi", "≈ 3.14159265358979"),
        ("3×（４＋５）÷2＝", "13.5"),
        ("1+1=?", "2"),
        ("5² + 1", "26"),
        ("10⁻²", "0.01"),
        ("-2²", "-4"),
        ("2³²", "4294967296"),
        ("1e5*3", "300000"),
    ],
)
def test_results(expression: str, result: str) -> None:
    assert calculate(expression) == result


@pytest.mark.parametrize(
    ("expression", "key"),
    [
        ("", "calc_empty"),
        ("1" * 501, "calc_too_long"),
        ("9**9**9", "calc_too_large"),
        ("10^1001", "calc_too_large"),
        ("1e300 * 1e300 * 1e300 * 1e300", "calc_too_large"),
        ("exp(99999)", "calc_too_large"),
        ("1/0", "calc_division"),
        ("7 % 0", "calc_division"),
        ("7 // 0", "calc_division"),
        ("0^0", "calc_undefined"),
        ("0^-1", "calc_undefined"),
        ("(-8)^(1/3)", "calc_undefined"),
        ("sqrt(-1)", "calc_undefined"),
        ("ln(0)", "calc_undefined"),
        ("round(1, 1.5)", "calc_undefined"),
        ("1 +", "calc_end"),
        ("((1)", "calc_end"),
        ("1 2", "calc_unexpected"),
        ("1,234 + 1", "calc_unexpected"),
        ("1)", "calc_unexpected"),
        ("5!", "calc_character"),
        ("__import__('os')", "calc_character"),
        ("(1).__class__", "calc_character"),
        ("open(1)", "calc_unknown"),
        ("x + 1", "calc_unknown"),
        ("sqrt(1, 2)", "calc_arguments"),
        ("(" * 100 + "1" + ")" * 100, "calc_deep"),
        ("-" * 200 + "1", "calc_deep"),
    ],
)
def test_what_cannot_be_calculated_is_refused_in_words(expression: str, key: str) -> None:
    with pytest.raises(Refusal) as refused:
        calculate(expression)
    assert refused.value.key == key
    for language in ("zh", "en"):
        assert say_tool(key, language, **refused.value.values)  # type: ignore[arg-type]


@given(st.integers(-(10**12), 10**12), st.integers(-(10**12), 10**12), st.sampled_from("+-*"))
def test_whole_numbers_are_exact(a: int, b: int, sign: str) -> None:
    expected = {"+": a + b, "-": a - b, "*": a * b}[sign]
    assert calculate(f"({a}) {sign} ({b})") == str(expected)


@settings(max_examples=300)
@given(st.text(alphabet="0123456789.+-*/%^(), eEpioundsqrtmaxl", max_size=60))
@example("9^9^9^9")
@example("999999999^999")
@example("1e999^1e999")
def test_any_text_ends_in_a_result_or_a_refusal_soon(text: str) -> None:
    began = time.process_time()
    try:
        assert calculate(text)
    except Refusal as refused:
        assert refused.key.startswith("calc_")
    assert time.process_time() - began < 1
