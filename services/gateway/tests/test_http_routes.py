"""What is not served, and readiness."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.gateway.tests.gateway_fakes import CONVERSATION, TURN
from services.gateway.tests.gateway_rig import Rig, gateway_rig
from services.gateway.tests.test_http_problems import assert_problem
from superagent_common.errors import Unimplemented


@pytest.mark.parametrize(
    "path",
    [f"turns/{TURN}/approvals"],
)
async def test_what_comes_later_is_not_there(rig: Rig, path: str) -> None:
    answer = await rig.http.post(f"/api/v1/{path}", json={}, headers=rig.as_())
    assert answer.status_code in (404, 405)
    assert answer.headers["content-type"] == "application/problem+json"


async def test_a_call_that_a_service_does_not_serve_yet_is_not_implemented(rig: Rig) -> None:
    rig.memory.answers["GetConversation"] = Unimplemented("not_implemented", "Not served by this version.")
    answer = await rig.http.get(f"/api/v1/conversations/{CONVERSATION}", headers=rig.as_())
    assert_problem(answer, 501, "not_implemented")


async def test_readiness_needs_every_service(rig: Rig) -> None:
    for path in ("/readyz", "/api/v1/readyz"):
        rig.serving = {"orchestrator": True, "memory": True}
        answer = await rig.http.get(path)
        assert (answer.status_code, answer.json()) == (
            200,
            {"status": "ready", "services": {"orchestrator": "SERVING", "memory": "SERVING"}},
        )
        rig.serving = {"orchestrator": True, "memory": False}
        answer = await rig.http.get(path)
        assert (answer.status_code, answer.json()) == (
            503,
            {"status": "not_ready", "services": {"orchestrator": "SERVING", "memory": "NOT_SERVING"}},
        )
    assert (await rig.http.get("/healthz")).json() == {"status": "alive"}


async def test_anybody_learns_what_this_is_and_that_no_model_is_configured(rig: Rig) -> None:
    answer = await rig.http.get("/api/v1/about")
    assert (answer.status_code, answer.json()) == (
        200,
        {"version": "1.2.3", "model": {"configured": False, "name": None}, "registration": "open"},
    )


async def test_a_configured_model_is_named(gateway_template: Path, tmp_path: Path) -> None:
    async with gateway_rig(gateway_template, tmp_path, model="deepseek-chat") as rig:
        answer = await rig.http.get("/api/v1/about")
    assert answer.json()["model"] == {"configured": True, "name": "deepseek-chat"}
