"""Searching over HTTP: the shapes that scripts rely on."""

from __future__ import annotations

from typing import Any

from services.gateway.tests.gateway_rig import AT, AT_TEXT, ROOT, Rig
from services.gateway.tests.test_http_problems import assert_problem
from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent.retrieval.v1 import retrieval_pb2
from superagent_common.errors import Conflict, InvalidInput, NotFound

FOUND = retrieval_pb2.SearchResponse(
    evidence=[
        retrieval_pb2.Evidence(
            citation_id=1,
            document_id="d",
            title="T",
            domain="ops",
            heading_path=["A"],
            page_from=3,
            page_to=3,
            text="parent",
            children=[retrieval_pb2.EvidenceChild(chunk_id="k", text="par", start=0, end=3, score=0.5)],
            scores=retrieval_pb2.Scores(vector=0.5, fused=1.0),
            channels=["vector"],
            parent_id="p",
        )
    ],
    retrieval_mode=events_pb2.RETRIEVAL_MODE_HYBRID,
    dropped=[retrieval_pb2.Dropped(reason="below_floor", count=2)],
    timings=retrieval_pb2.Timings(total_ms=1.5, rerank_ms=2.5),
    rerank="rerank_timeout",
)
SHOWN: dict[str, Any] = {
    "evidence": [
        {
            "citation_id": 1,
            "document_id": "d",
            "title": "T",
            "domain": "ops",
            "heading_path": ["A"],
            "page_from": 3,
            "page_to": 3,
            "text": "parent",
            "cut": False,
            "children": [{"chunk_id": "k", "text": "par", "offsets": [0, 3], "score": 0.5}],
            "scores": {"vector": 0.5, "fused": 1.0},
            "channels": ["vector"],
            "parent_id": "p",
        }
    ],
    "retrieval_mode": "HYBRID",
    "dropped": [{"reason": "below_floor", "count": 2}],
    "timings": {
        "embed_ms": 0.0,
        "vector_ms": 0.0,
        "keyword_ms": 0.0,
        "own_ms": 0.0,
        "total_ms": 1.5,
        "outline_ms": 0.0,
        "rerank_ms": 2.5,
    },
    "unknown_domains": [],
    "rerank": "rerank_timeout",
}


async def test_searching_and_its_working(rig: Rig) -> None:
    rig.retrieval.answers = {
        "Search": FOUND,
        "PreviewSearch": retrieval_pb2.PreviewSearchResponse(
            result=FOUND,
            variants=["v"],
            variant_kinds=["question"],
            hits=[
                retrieval_pb2.ChannelHit(
                    channel="vector", rank=1, parent_id="p", score=0.5, title="T", document_id="d", text="par"
                )
            ],
            candidates=[
                retrieval_pb2.Candidate(
                    parent_id="p",
                    document_id="d",
                    title="T",
                    text="par",
                    citation_id=1,
                    parts=[
                        retrieval_pb2.ScorePart(
                            list="question", channel="vector", rank=1, score=0.5, share=1.0, weight=0.5, value=0.5
                        ),
                        retrieval_pb2.ScorePart(list="question", rank=1, score=0.5, weight=1.0, value=0.5),
                    ],
                    bonuses=[retrieval_pb2.ScoreBonus(name="all_words", value=0.025)],
                    fused=0.525,
                    exact=["e1"],
                    rerank=0.9,
                )
            ],
            fusion=retrieval_pb2.FusionSettings(
                method="weighted",
                vector_weight=0.5,
                rank_constant=60,
                related=retrieval_pb2.RelatedFloors(han=0.75, other=0.5, across=0.25, word_support=0.125),
                per_source=2,
            ),
            failures=[retrieval_pb2.ChannelFailure(channel="outline", reason="timeout")],
        ),
    }
    body = {"question": "q", "domains": ["ops"], "filters": {"tags": ["x"]}, "top_k": 3}
    assert (await rig.http.post("/api/v1/retrieval/search", json=body, headers=rig.as_())).json() == SHOWN
    asked = retrieval_pb2.SearchRequest(
        question="q", domains=["ops"], filters=plan_pb2.QuestionFilters(tags=["x"]), top_k=3
    )
    assert rig.retrieval.requests == [asked]
    about = {"parent_id": "p", "document_id": "d", "title": "T", "heading_path": [], "text": "par"}
    hit = {"channel": "vector", "variant": 0, "rank": 1, **about, "score": 0.5, "dropped": ""}
    part = {"list": "question", "channel": "", "rank": 1, "score": 0.5, "weight": 1.0, "value": 0.5}
    candidate = {
        **about,
        "citation_id": 1,
        "dropped": "",
        "parts": [{**part, "channel": "vector", "share": 1.0, "weight": 0.5}, part],
        "bonuses": [{"name": "all_words", "value": 0.025}],
        "fused": 0.525,
        "exact": ["e1"],
        "rerank": 0.9,
    }
    fusion = {
        "method": "weighted",
        "vector_weight": 0.5,
        "rank_constant": 60,
        "vector_floor": 0.0,
        "cross_script_floor": 0.0,
        "keyword_floor": 0.0,
        "related": {"han": 0.75, "other": 0.5, "across": 0.25, "word_support": 0.125},
        "per_source": 2,
    }
    preview = await rig.http.post("/api/v1/retrieval/preview", json=body, headers=rig.as_())
    assert preview.json() == {
        **SHOWN,
        "variants": ["v"],
        "variant_kinds": ["question"],
        "hits": [hit],
        "candidates": [candidate],
        "fusion": fusion,
        "failures": [{"channel": "outline", "reason": "timeout"}],
    }
    misspelt = {"question": "q", "filters": {"document_id": ["d"]}}
    refused = await rig.http.post("/api/v1/retrieval/search", json=misspelt, headers=rig.as_())
    assert (refused.status_code, refused.json()["reason"]) == (400, "invalid_request")
    hinted = {"question": "q", "history_hint": "before", "hint_words": ["refund"], "use_outline": True}
    assert (await rig.http.post("/api/v1/retrieval/search", json=hinted, headers=rig.as_())).status_code == 200
    assert rig.retrieval.requests[-1] == retrieval_pb2.SearchRequest(**hinted)
    bare = await rig.http.post("/api/v1/retrieval/search", json={"question": "q"}, headers=rig.as_())
    assert bare.status_code == 200
    assert rig.retrieval.requests[-1] == retrieval_pb2.SearchRequest(question="q")


async def test_passages_of_a_document(rig: Rig) -> None:
    rig.retrieval.answers["GetPassages"] = retrieval_pb2.GetPassagesResponse(
        title="Handbook",
        domain="ops",
        passages=[
            retrieval_pb2.Passage(
                parent_id="p",
                heading_path=["1", "1.2"],
                page_from=3,
                page_to=4,
                text="Restore takes four hours.",
                children=[retrieval_pb2.PassageChild(chunk_id="c", start=0, end=7)],
            ),
            retrieval_pb2.Passage(parent_id="q", text="No pages."),
        ],
    )
    url = "/api/v1/documents/d/passages"
    answer = await rig.http.get(url, params={"chunk_id": ["c", "q"]}, headers=rig.as_())
    assert answer.json() == {
        "document_id": "d",
        "title": "Handbook",
        "domain": "ops",
        "passages": [
            {
                "parent_id": "p",
                "heading_path": ["1", "1.2"],
                "page_from": 3,
                "page_to": 4,
                "text": "Restore takes four hours.",
                "children": [{"chunk_id": "c", "start": 0, "end": 7}],
            },
            {"parent_id": "q", "heading_path": [], "text": "No pages.", "children": []},
        ],
    }
    assert rig.retrieval.requests == [retrieval_pb2.GetPassagesRequest(document_id="d", chunk_ids=["c", "q"])]
    for bad in ({}, {"chunk_id": ["c"] * 51}, {"chunk_id": "c" * 201}):
        assert_problem(await rig.http.get(url, params=bad, headers=rig.as_()), 400, "invalid_request")
    rig.retrieval.answers["GetPassages"] = NotFound("unknown_document", "There is no such document.")
    unknown = await rig.http.get(url, params={"chunk_id": "c"}, headers=rig.as_())
    assert_problem(unknown, 404, "unknown_document")


async def test_domains_and_the_state_of_retrieval(rig: Rig) -> None:
    rig.retrieval.answers = {
        "ListDomains": retrieval_pb2.ListDomainsResponse(
            domains=[retrieval_pb2.Domain(code="ops", name="Ops", document_count=2, sample_titles=["T"])]
        ),
        "GetStatus": retrieval_pb2.GetStatusResponse(
            embedding_model="e5",
            embedding_dimension=384,
            embedder_healthy=True,
            documents=1,
            vector_floor=0.5,
            configured_model="e5",
            embedding_models=["e5", "bge"],
        ),
    }
    domain = {"code": "ops", "name": "Ops", "description": "", "document_count": 2, "sample_titles": ["T"]}
    assert (await rig.http.get("/api/v1/domains", headers=rig.as_())).json() == {"domains": [domain]}
    assert (await rig.http.get("/api/v1/retrieval/status", headers=rig.as_())).json() == {
        "embedding_model": "e5",
        "embedding_dimension": 384,
        "embedder_healthy": True,
        "documents": 1,
        "parents": 0,
        "children": 0,
        "vector_floor": 0.5,
        "degraded": None,
        "configured_model": "e5",
        "rebuild_due": False,
        "embedding_models": ["e5", "bge"],
        "rebuild": None,
    }


async def test_a_switch_of_the_embedding_model_that_is_under_way(rig: Rig) -> None:
    rig.retrieval.answers["GetStatus"] = retrieval_pb2.GetStatusResponse(
        degraded="embedder_not_configured",
        rebuild_due=True,
        rebuild=retrieval_pb2.RebuildProgress(
            run_id="r",
            embedding_model="bge",
            embedding_dimension=1024,
            started_at=AT,
            documents_done=2,
            documents_total=5,
            waiting_reason="embedder_down",
            retry_at=AT,
        ),
    )
    shown = (await rig.http.get("/api/v1/retrieval/status", headers=rig.as_())).json()
    assert (shown["degraded"], shown["rebuild_due"]) == ("embedder_not_configured", True)
    assert shown["rebuild"] == {
        "run_id": "r",
        "embedding_model": "bge",
        "embedding_dimension": 1024,
        "started_at": AT_TEXT,
        "documents_done": 2,
        "documents_total": 5,
        "waiting_reason": "embedder_down",
        "retry_at": AT_TEXT,
    }
    rig.retrieval.answers["GetStatus"] = retrieval_pb2.GetStatusResponse(
        rebuild=retrieval_pb2.RebuildProgress(run_id="r", started_at=AT)
    )
    shown = (await rig.http.get("/api/v1/retrieval/status", headers=rig.as_())).json()
    assert (shown["rebuild"]["waiting_reason"], shown["rebuild"]["retry_at"]) == (None, None)


async def test_administrators_switch_the_embedding_model(rig: Rig) -> None:
    url = "/api/v1/retrieval/rebuild"
    rig.retrieval.answers["RebuildIndex"] = retrieval_pb2.RebuildIndexResponse(run_id="r")
    for body, model in (({"embedding_model": "bge"}, "bge"), ({}, "")):
        answer = await rig.http.post(url, json=body, headers=rig.as_(ROOT))
        assert (answer.status_code, answer.json()) == (202, {"run_id": "r", "done": False})
        assert rig.retrieval.requests.pop() == retrieval_pb2.RebuildIndexRequest(embedding_model=model)
    assert_problem(await rig.http.post(url, json={}, headers=rig.as_()), 403, "administrators_only")
    assert_problem(await rig.http.post(url, json={}), 401, "token_missing")
    assert_problem(
        await rig.http.post(url, json={"embedding_model": "x" * 201}, headers=rig.as_(ROOT)), 400, "invalid_request"
    )
    assert rig.retrieval.requests == []
    for error, status in ((InvalidInput("unknown_embedding_model"), 400), (Conflict("rebuild_running"), 409)):
        rig.retrieval.answers["RebuildIndex"] = error
        assert_problem(await rig.http.post(url, json={}, headers=rig.as_(ROOT)), status, error.reason)
