"""A set from its documents to its figures, on a fleet that runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from functools import partial

from dev.api_client import ApiClient
from evals.retrieval.accepted import Run, Subset
from evals.retrieval.measure import Group, measured
from evals.retrieval.service import Person, Searching, ingest, retrieval_at
from evals.retrieval.sets import Form, QuestionSet, documents


async def evaluate(
    questions: QuestionSet,
    form: Form,
    every: int,
    *,
    base_url: str,
    retrieval_address: str,
    password: str,
    say: Callable[[str], None],
) -> tuple[Run, dict[str, Group]]:
    """Ingests the set's corpora, each as a person of its own with `password`, and asks every `every`-th question.

    A person who is there already keeps the documents and uploads only what is missing. Raises NotIngested and errors of
    HTTP and gRPC.
    """
    asked = questions.every(every)
    async with AsyncExitStack() as stack:
        retrieval = await stack.enter_async_context(retrieval_at(retrieval_address))
        searching: dict[str, Searching] = {}
        embedder = ""
        for corpus in questions.corpora:
            client = await stack.enter_async_context(ApiClient(base_url))
            person = await Person.joined(client, f"eval-{corpus.name}-{form}", password)
            began = time.monotonic()
            ready = await ingest(person, documents(corpus, form), partial(_of, say, corpus.name))
            say(f"{corpus.name}: READY after {time.monotonic() - began:.0f} s")
            searching[corpus.name] = Searching(retrieval, person, ready)
            embedder = (await client.http.get("/retrieval/status")).raise_for_status().json()["embedding_model"]
        began = time.monotonic()
        groups = await measured(asked, searching)
        say(f"{questions.name}: {len(asked.questions)} questions asked in {time.monotonic() - began:.0f} s")
    subset = Subset(
        set=questions.name,
        documents=form,
        every=every,
        passages=sum(len(corpus.passages) for corpus in questions.corpora),
        questions=len(asked.questions),
        digest=asked.digest(),
        embedder=embedder,
    )
    figures = {f"{name}/{key}": value for name, group in groups.items() for key, value in group.figures().items()}
    return Run(subset, f"{datetime.now(UTC):%Y-%m-%d}", figures), groups


def _of(say: Callable[[str], None], corpus: str, what: str) -> None:
    say(f"{corpus}: {what}")
