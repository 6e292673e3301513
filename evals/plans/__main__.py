"""`python -m evals.plans [--wrong]`: the golden cases planned by a model and by the rules. Needs LLM_MODEL."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time

from opentelemetry.trace import NoOpTracer

from evals.plans.cases import CASES
from evals.plans.judge import misses
from evals.plans.run import Outcome, evaluate, table
from superagent_common.llm import LanguageModel, ModelSettings, build_small_model
from superagent_common.settings import load
from superagent_orchestrator.adapters.model_planner import ModelPlanner
from superagent_orchestrator.adapters.rule_planner import RulePlanner
from superagent_orchestrator.prompts import PlanningPrompt

# A model under test may think longer than a person would wait.
_SECONDS = 60.0


async def _measured(model: LanguageModel) -> tuple[Outcome, Outcome]:
    try:
        by_model = await evaluate(ModelPlanner(model, PlanningPrompt(), seconds=_SECONDS), CASES, misses)
    finally:
        await model.close()
    return by_model, await evaluate(RulePlanner(), CASES, misses)


def main() -> int:
    """0: measured; 1: the model planned nothing; 2: no model is configured."""
    parser = argparse.ArgumentParser(prog="eval-plans")
    parser.add_argument("--wrong", action="store_true", help="list every plan of the model that missed something")
    arguments = parser.parse_args()
    settings = load(ModelSettings)
    model = build_small_model(settings, tracer=NoOpTracer(), monotonic=time.monotonic)
    if model is None:
        print("eval-plans needs LLM_MODEL and LLM_API_BASE: it measures a model's plans.", file=sys.stderr)
        return 2
    began = time.monotonic()
    by_model, by_rules = asyncio.run(_measured(model))
    print(f"model {model.name}, prompt {PlanningPrompt().content_hash}, {time.monotonic() - began:.0f} s\n")
    print(table({"model": by_model, "rules": by_rules}))
    print("\nplanned by " + ", ".join(f"{who}: {plans}" for who, plans in sorted(by_model.by.items())))
    print(f"{by_model.calls} calls, {by_model.input_tokens} + {by_model.output_tokens} tokens, cost {by_model.cost:g}")
    if arguments.wrong:
        for missed in (entry for entries in by_model.wrong.values() for entry in entries):
            print(f"- {missed[0].kind}: {missed[0].question!r}: {'; '.join(missed[1])}")
    if by_model.model_spoke == 0:
        print("The model planned nothing: see the causes above.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
