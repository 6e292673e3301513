"""What a service's calls of models used, as figures for operators: also of those that belong to no turn."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter

from superagent_common.llm.port import Purpose, Usage

Spent = Callable[[Purpose, Usage], None]


class ModelSpending:
    """A `Spent` that counts."""

    def __init__(self, registry: CollectorRegistry) -> None:
        labels = ("model", "purpose")
        self._tokens = Counter(
            "model_tokens",
            "Tokens of model calls, estimated where a model did not tell.",
            (*labels, "direction"),
            registry=registry,
        )
        self._cost = Counter(
            "model_cost", "Cost of model calls in the currency of the configured prices.", labels, registry=registry
        )

    def __call__(self, purpose: Purpose, usage: Usage) -> None:
        self._tokens.labels(usage.model, purpose, "input").inc(usage.input_tokens)
        self._tokens.labels(usage.model, purpose, "output").inc(usage.output_tokens)
        self._cost.labels(usage.model, purpose).inc(usage.cost or 0.0)


def nobody_counts(purpose: Purpose, usage: Usage) -> None:
    """A `Spent` for where nobody looks."""
