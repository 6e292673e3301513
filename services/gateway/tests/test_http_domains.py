"""/admin/domains over HTTP: what domains are called, hold, and whose they are."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from services.gateway.tests.gateway_rig import ROOT, Rig
from services.gateway.tests.test_http_problems import assert_problem

DOMAINS = "/api/v1/admin/domains"
OPS = {"code": "ops", "name": "运维", "description": "Machines, and how to mend them.", "owner_org_tag": None}


async def posted(rig: Rig, **domain: Any) -> httpx.Response:
    return await rig.http.post(DOMAINS, json=domain, headers=rig.as_(ROOT))


async def put(rig: Rig, code: str, **domain: Any) -> httpx.Response:
    return await rig.http.put(f"{DOMAINS}/{code}", json=domain, headers=rig.as_(ROOT))


async def listed(rig: Rig) -> list[dict[str, Any]]:
    return list((await rig.http.get(DOMAINS, headers=rig.as_(ROOT))).json()["domains"])


async def test_a_domain_is_described_described_anew_and_forgotten(rig: Rig) -> None:
    await rig.http.post("/api/v1/admin/org-tags", json={"code": "acme", "name": "ACME"}, headers=rig.as_(ROOT))
    made = await posted(rig, code="ops", name=" 运维\n", description="  Machines, and how to mend them. ")
    assert (made.status_code, made.json()) == (201, OPS)
    law = {"code": "法务.law", "name": "Law", "description": "", "owner_org_tag": "acme"}
    assert (await posted(rig, **law)).json() == law
    assert await listed(rig) == [OPS, law]
    # What is not said anew is no more: PUT replaces.
    anew = await put(rig, "ops", name="Operations", owner_org_tag="acme")
    assert anew.json() == {"code": "ops", "name": "Operations", "description": "", "owner_org_tag": "acme"}
    assert await listed(rig) == [anew.json(), law]
    assert (await rig.http.delete(f"{DOMAINS}/ops", headers=rig.as_(ROOT))).status_code == 204
    assert (await rig.http.delete(f"{DOMAINS}/法务.law", headers=rig.as_(ROOT))).status_code == 204
    assert await listed(rig) == []


async def test_each_change_reaches_the_others(rig: Rig) -> None:
    before = rig.configuration.current.version
    await posted(rig, **OPS)
    await put(rig, "ops", name="Ops")
    await rig.http.delete(f"{DOMAINS}/ops", headers=rig.as_(ROOT))
    assert rig.signal.published == [before + 1, before + 2, before + 3]


async def test_a_domain_is_described_once(rig: Rig) -> None:
    await posted(rig, **OPS)
    assert_problem(await posted(rig, **OPS), 409, "domain_exists")
    assert await listed(rig) == [OPS]


@pytest.mark.parametrize("code", ["", "a b", "a/b", "x" * 65, ".", "..", "a\x00", "a\nb", "<b>"])
async def test_codes_that_are_none_are_refused(rig: Rig, code: str) -> None:
    assert_problem(await posted(rig, code=code, name="X"), 400, "invalid_domain")


async def test_what_is_too_long_or_missing_is_refused(rig: Rig) -> None:
    await posted(rig, **OPS)
    assert (await put(rig, "ops", name="x" * 200, description="界" * 1000)).status_code == 200
    for bad in ({"name": " "}, {"name": "x" * 201}, {"name": "Ops", "description": "x" * 1001}):
        assert_problem(await put(rig, "ops", **bad), 400, "invalid_domain")
    for shapeless in (
        {},
        {"name": None},
        {"name": "Ops", "description": 5},
        {"name": "x", "description": "x" * 20_001},
    ):
        assert_problem(await put(rig, "ops", **shapeless), 400, "invalid_request")


async def test_an_owner_that_does_not_exist_is_refused(rig: Rig) -> None:
    answer = await posted(rig, code="ops", name="Ops", owner_org_tag="nowhere")
    assert assert_problem(answer, 400, "unknown_org_tag")["org_tag"] == "nowhere"
    await posted(rig, **OPS)
    assert_problem(await put(rig, "ops", name="Ops", owner_org_tag="nowhere"), 400, "unknown_org_tag")
    assert await listed(rig) == [OPS]


async def test_an_unknown_domain_is_not_found(rig: Rig) -> None:
    assert_problem(await put(rig, "nothing", name="X"), 404, "unknown_domain")
    assert_problem(await rig.http.delete(f"{DOMAINS}/nothing", headers=rig.as_(ROOT)), 404, "unknown_domain")
