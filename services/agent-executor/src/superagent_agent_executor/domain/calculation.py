"""Arithmetic from text, without `eval`: its own grammar, decimal numbers, and bounds on everything that could grow."""

from __future__ import annotations

import decimal
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from superagent_agent_executor.domain.tools import Refusal

MAX_CHARACTERS = 500
_MAX_DEPTH = 40
_PRECISION = 100
_MAX_EXPONENT = 1_000
_MAX_DIGITS = 100
_MAX_SCALE = 50
_SHOWN_DIGITS = 15
_EXPRESSION_ENDS = "=？?。 "
_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?|\.\d+)|([A-Za-z_]\w*)|(//|[-+*/%^(),]))")
_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "—": "-"})
# NFKC would make digits of them that join the number before: 5² is no 52.
_SUPERSCRIPT = re.compile(r"[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_CONSTANTS = {
    "pi": Decimal("3.14159265358979323846264338327950288419716939937510"),
    "e": Decimal("2.71828182845904523536028747135266249775724709369996"),
}


@dataclass(frozen=True, slots=True)
class Number:
    """`exact`: no digit was rounded away on the way to it."""

    value: Decimal
    exact: bool = True


def calculate(expression: str) -> str:
    """The result in decimal notation, `≈` before it when it is rounded. Raises Refusal.

    Grammar: + - * / // % ^ (also ** and ²), parentheses, `20%` for 0.20, `15% of 80`, the functions of `_FUNCTIONS`, pi, e.
    A `%` with an operand behind it is the remainder. Rounding is half up, as people round.
    """
    raised = _SUPERSCRIPT.sub(lambda power: f"^({power[0]})", expression)
    text = unicodedata.normalize("NFKC", raised).translate(_SIGNS).replace("**", "^").strip()
    text = text.rstrip(_EXPRESSION_ENDS)
    if not text:
        raise Refusal("calc_empty")
    if len(text) > MAX_CHARACTERS:
        raise Refusal("calc_too_long", count=str(MAX_CHARACTERS))
    with decimal.localcontext(_context()):
        try:
            return _shown(_Parser(_tokens(text)).result())
        except decimal.DivisionByZero:
            raise Refusal("calc_division") from None
        except decimal.Overflow:
            raise Refusal("calc_too_large") from None
        except decimal.InvalidOperation:
            raise Refusal("calc_undefined") from None


def _context() -> decimal.Context:
    traps = [decimal.DivisionByZero, decimal.Overflow, decimal.InvalidOperation]
    return decimal.Context(_PRECISION, decimal.ROUND_HALF_UP, Emin=-999, Emax=999, traps=traps)


def _tokens(text: str) -> list[str]:
    tokens, position = [], 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if not match:
            raise Refusal("calc_character", token=text[position:].strip()[:1])
        tokens.append(match[0].strip())
        position = match.end()
    return tokens


class _Parser:
    """Recursive descent that evaluates as it reads."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._position = 0
        self._depth = 0

    def result(self) -> Number:
        number = self._sum()
        if self._position < len(self._tokens):
            raise Refusal("calc_unexpected", token=self._tokens[self._position])
        return number

    def _next(self) -> str:
        return self._tokens[self._position] if self._position < len(self._tokens) else ""

    def _take(self, *expected: str) -> str:
        """The next token if it is one of these, else empty."""
        token = self._next()
        if token and token in expected:
            self._position += 1
            return token
        return ""

    def _sum(self) -> Number:
        number = self._product()
        while sign := self._take("+", "-"):
            number = _operate(_BINARY[sign], number, self._product())
        return number

    def _product(self) -> Number:
        number = self._signed()
        while sign := self._take("*", "/", "//", "%", "of"):
            number = _operate(_BINARY[sign], number, self._signed())
        return number

    def _signed(self) -> Number:
        self._deeper()
        if sign := self._take("+", "-"):
            number = self._signed()
            number = number if sign == "+" else Number(-number.value, number.exact)
        else:
            number = self._power()
        self._depth -= 1
        return number

    def _power(self) -> Number:
        base = self._percent()
        return _operate(_power, base, self._signed()) if self._take("^") else base

    def _percent(self) -> Number:
        number = self._atom()
        while self._next() == "%" and not self._operand_follows():
            self._position += 1
            number = _operate(lambda a, b: a / b, number, Number(Decimal(100)))
        return number

    def _operand_follows(self) -> bool:
        following = self._tokens[self._position + 1 : self._position + 2]
        return bool(following) and following[0] != "of" and (following[0] == "(" or following[0][0].isalnum())

    def _atom(self) -> Number:
        token = self._next()
        if not token:
            raise Refusal("calc_end")
        self._position += 1
        if token[0].isdigit() or token[0] == ".":
            return Number(Decimal(token))
        if token == "(":
            number = self._sum()
            self._close()
            return number
        if not token[0].isalpha():
            raise Refusal("calc_unexpected", token=token)
        name = token.lower()
        if self._take("("):
            return _call(name, self._arguments())
        if name not in _CONSTANTS:
            raise _unknown(token)
        return Number(_CONSTANTS[name], exact=False)

    def _arguments(self) -> list[Number]:
        numbers = [self._sum()]
        while self._take(","):
            numbers.append(self._sum())
        self._close()
        return numbers

    def _close(self) -> None:
        if not self._take(")"):
            raise Refusal("calc_unexpected", token=self._next()) if self._next() else Refusal("calc_end")

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise Refusal("calc_deep")


def _operate(operation: Callable[..., Decimal], *numbers: Number) -> Number:
    context = decimal.getcontext()
    context.clear_flags()
    value = operation(*(number.value for number in numbers))
    if not value.is_finite():
        raise Refusal("calc_undefined")
    return Number(value, all(number.exact for number in numbers) and not context.flags[decimal.Inexact])


def _power(base: Decimal, exponent: Decimal) -> Decimal:
    digits = abs(exponent) * (abs(base.adjusted()) + 1) if base else Decimal(0)
    if abs(exponent) > _MAX_EXPONENT or digits > _MAX_EXPONENT:
        raise Refusal("calc_too_large")
    return base**exponent


def _round(value: Decimal, places: Decimal = Decimal(0)) -> Decimal:
    if places != places.to_integral_value() or abs(places) > _MAX_SCALE:
        raise Refusal("calc_undefined")
    return value.quantize(Decimal(1).scaleb(-int(places)))


def _modulo(a: Decimal, b: Decimal) -> Decimal:
    """Of the divisor's sign, as in Python."""
    if not b:
        raise Refusal("calc_division")
    rest = a % b
    return rest + b if rest and (rest < 0) != (b < 0) else rest


def _floor_divide(a: Decimal, b: Decimal) -> Decimal:
    return ((a - _modulo(a, b)) / b).to_integral_value()


def _total(*numbers: Decimal) -> Decimal:
    return sum(numbers, Decimal(0))


_BINARY: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "of": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": _floor_divide,
    "%": _modulo,
}
# (function, fewest arguments, most)
_FUNCTIONS: dict[str, tuple[Callable[..., Decimal], int, int]] = {
    "abs": (abs, 1, 1),
    "round": (_round, 1, 2),
    "floor": (lambda a: a.to_integral_value(decimal.ROUND_FLOOR), 1, 1),
    "ceil": (lambda a: a.to_integral_value(decimal.ROUND_CEILING), 1, 1),
    "sqrt": (Decimal.sqrt, 1, 1),
    "min": (min, 1, MAX_CHARACTERS),
    "max": (max, 1, MAX_CHARACTERS),
    "sum": (_total, 1, MAX_CHARACTERS),
    "mean": (lambda *numbers: _total(*numbers) / len(numbers), 1, MAX_CHARACTERS),
    "mod": (_modulo, 2, 2),
    "pow": (_power, 2, 2),
    "ln": (Decimal.ln, 1, 1),
    "log10": (Decimal.log10, 1, 1),
    "exp": (Decimal.exp, 1, 1),
}
# What they give is meant as it is, whatever was rounded before.
_ROUNDING = frozenset({"round", "floor", "ceil"})


def _call(name: str, numbers: Sequence[Number]) -> Number:
    if name not in _FUNCTIONS:
        raise _unknown(name)
    function, fewest, most = _FUNCTIONS[name]
    if not fewest <= len(numbers) <= most:
        raise Refusal("calc_arguments", token=name)
    number = _operate(function, *numbers)
    return Number(number.value) if name in _ROUNDING else number


def _unknown(name: str) -> Refusal:
    return Refusal("calc_unknown", token=name, known=", ".join(sorted((*_FUNCTIONS, *_CONSTANTS))))


def _shown(number: Number) -> str:
    value = number.value
    if not value:
        return "0"
    if not number.exact or len(value.as_tuple().digits) > _MAX_DIGITS:
        value = decimal.Context(prec=_SHOWN_DIGITS, rounding=decimal.ROUND_HALF_UP).plus(value)
    value = value.normalize()
    size = value.adjusted()
    text = format(value, "f") if -_SHOWN_DIGITS <= size <= _MAX_DIGITS else format(value, "E").replace("E", "e")
    return text if number.exact else f"≈ {text}"
