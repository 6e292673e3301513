"""What planners make of questions.

    python -m evals.plans [--wrong]
    python -m evals.plans DATA [--sets gecor,clinc] [--every 10] [--accept]

Without DATA the golden cases are planned by a model and by the rules, which needs LLM_MODEL. With DATA, the folder of
the public sets, their questions are planned by the rules, and by a model when LLM_MODEL is set; the exit status is 1 when
an accepted figure drops by more than 0.5 points, 2 when nothing could be measured.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from pathlib import Path

from opentelemetry.trace import NoOpTracer
from structlog import get_logger

from evals.plans.accepted import Run
from evals.plans.cases import CASES
from evals.plans.judge import misses
from evals.plans.public import judged, measured
from evals.plans.public_sets import PUBLIC
from evals.plans.run import Outcome, evaluate, table
from superagent_common.llm import LanguageModel, ModelSettings, build_small_model
from superagent_common.settings import load
from superagent_orchestrator.adapters.model_planner import ModelPlanner
from superagent_orchestrator.adapters.rule_planner import RulePlanner
from superagent_orchestrator.ports import Planner
from superagent_orchestrator.prompts import PlanningPrompt, prompt_texts

# A model under test may think longer than a person would wait.
_SECONDS = 60.0


def main() -> int:
    arguments = _arguments()
    model = build_small_model(load(ModelSettings), tracer=NoOpTracer(), monotonic=time.monotonic)
    if arguments.data:
        try:
            runs = asyncio.run(_public(arguments, model))
        except (OSError, ValueError, KeyError) as error:
            print(f"The data cannot be read: {error!r}", file=sys.stderr)
            return 2
        return judged(runs, accepting=arguments.accept)
    if model is None:
        print("eval-plans needs LLM_MODEL and LLM_API_BASE, or DATA, a folder of public sets.", file=sys.stderr)
        return 2
    return _golden(model, show_wrong=arguments.wrong)


def _prompt() -> PlanningPrompt:
    return PlanningPrompt(prompt_texts(None, get_logger()))


async def _public(arguments: argparse.Namespace, model: LanguageModel | None) -> list[Run]:
    planners: dict[str, Planner] = {"rules": RulePlanner()}
    if model is None:
        return await measured(arguments.data, arguments.sets, arguments.every, planners)
    planners[model.name] = ModelPlanner(model, _prompt(), seconds=_SECONDS)
    try:
        return await measured(arguments.data, arguments.sets, arguments.every, planners)
    finally:
        await model.close()


def _golden(model: LanguageModel, *, show_wrong: bool) -> int:
    """0: measured; 1: the model planned nothing."""
    began = time.monotonic()
    by_model, by_rules = asyncio.run(_measured(model))
    print(f"model {model.name}, prompt {_prompt().content_hash}, {time.monotonic() - began:.0f} s\n")
    print(table({"model": by_model, "rules": by_rules}))
    print("\nplanned by " + ", ".join(f"{who}: {plans}" for who, plans in sorted(by_model.by.items())))
    print(f"{by_model.calls} calls, {by_model.input_tokens} + {by_model.output_tokens} tokens, cost {by_model.cost:g}")
    if show_wrong:
        for missed in (entry for entries in by_model.wrong.values() for entry in entries):
            print(f"- {missed[0].kind}: {missed[0].question!r}: {'; '.join(missed[1])}")
    if by_model.model_spoke == 0:
        print("The model planned nothing: see the causes above.", file=sys.stderr)
        return 1
    return 0


async def _measured(model: LanguageModel) -> tuple[Outcome, Outcome]:
    try:
        by_model = await evaluate(ModelPlanner(model, _prompt(), seconds=_SECONDS), CASES, misses)
    finally:
        await model.close()
    return by_model, await evaluate(RulePlanner(), CASES, misses)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="eval-plans", description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path, nargs="?", help="folder of the public sets' files")
    parser.add_argument("--wrong", action="store_true", help="list every plan of the model that missed something")
    parser.add_argument("--sets", type=_names, default=[], help=f"of {', '.join(PUBLIC)}; without: all there are")
    parser.add_argument("--every", type=_positive, default=1, metavar="N", help="only each N-th question")
    parser.add_argument("--accept", action="store_true", help="write the figures to evals/accepted_plans.json")
    return parser.parse_args()


def _names(said: str) -> list[str]:
    names = said.split(",")
    if unknown := [name for name in names if name not in PUBLIC]:
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(unknown)}")
    return names


def _positive(said: str) -> int:
    number = int(said)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


if __name__ == "__main__":
    sys.exit(main())
