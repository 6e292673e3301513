"""/auth and /admin over HTTP: shapes, tokens, roles, limits."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from services.gateway.tests.gateway_rig import ANNA, ROOT, Rig, gateway_rig
from services.gateway.tests.test_http_problems import assert_problem
from superagent_common.errors import Unavailable
from superagent_common.identity import ServiceTokens, SigningKey
from superagent_gateway.application.limits import EdgeRules
from superagent_gateway.domain import RateRule

CREDENTIALS = {"username": "anna", "password": "correct horse"}


async def logged_in(rig: Rig, name: str = "anna") -> dict[str, object]:
    credentials = {**CREDENTIALS, "username": name}
    assert (await rig.http.post("/api/v1/auth/register", json=credentials)).status_code == 201
    answer = await rig.http.post("/api/v1/auth/login", json=credentials)
    assert answer.status_code == 200
    return answer.json()


def bearer(session: dict[str, object]) -> dict[str, str]:
    return {"authorization": f"Bearer {session['access_token']}"}


async def test_register_log_in_me_refresh_log_out(rig: Rig) -> None:
    registered = await rig.http.post("/api/v1/auth/register", json=CREDENTIALS)
    assert (registered.status_code, set(registered.json())) == (201, {"user_id"})
    session = (await rig.http.post("/api/v1/auth/login", json=CREDENTIALS)).json()
    assert set(session) == {"access_token", "refresh_token", "expires_in", "user"}
    user = {"id": registered.json()["user_id"], "username": "anna", "roles": ["user"], "org_tags": []}
    assert (session["expires_in"], session["user"]) == (3600, user)
    assert (await rig.http.get("/api/v1/auth/me", headers=bearer(session))).json() == user
    renewed = await rig.http.post("/api/v1/auth/refresh", json={"refresh_token": session["refresh_token"]})
    assert set(renewed.json()) == set(session)
    refresh_token = {"refresh_token": renewed.json()["refresh_token"]}
    logout = await rig.http.post("/api/v1/auth/logout", json=refresh_token, headers=bearer(renewed.json()))
    assert logout.status_code == 204
    again = await rig.http.get("/api/v1/auth/me", headers=bearer(renewed.json()))
    assert_problem(again, 401, "token_revoked")
    assert_problem(await rig.http.post("/api/v1/auth/refresh", json=refresh_token), 401, "refresh_token_revoked")


async def test_logging_out_needs_no_body(rig: Rig) -> None:
    session = await logged_in(rig)
    assert (await rig.http.post("/api/v1/auth/logout", headers=bearer(session))).status_code == 204
    assert_problem(await rig.http.get("/api/v1/auth/me", headers=bearer(session)), 401, "token_revoked")


async def test_a_taken_name_is_a_conflict_and_wrong_credentials_say_no_more(rig: Rig) -> None:
    await logged_in(rig)
    assert_problem(await rig.http.post("/api/v1/auth/register", json=CREDENTIALS), 409, "username_taken")
    for wrong in ({**CREDENTIALS, "password": "something else"}, {**CREDENTIALS, "username": "nobody"}):
        assert_problem(await rig.http.post("/api/v1/auth/login", json=wrong), 401, "wrong_credentials")


async def test_an_invite_is_refused_as_long_as_there_are_none(rig: Rig) -> None:
    answer = await rig.http.post("/api/v1/auth/register", json={**CREDENTIALS, "invite": "abc"})
    assert_problem(answer, 501, "invites_not_served")
    assert (await rig.http.post("/api/v1/auth/register", json={**CREDENTIALS, "invite": None})).status_code == 201


async def test_tokens_that_do_not_verify_are_refused_with_a_reason(rig: Rig) -> None:
    good = rig.token()
    claims = jwt.decode(good, options={"verify_signature": False})
    own = SigningKey.load(rig.keys, "gateway-user").key
    kid = {"kid": "gateway-user"}

    def none_token() -> str:
        parts = [json.dumps(part).encode() for part in ({"alg": "none", "kid": "gateway-user"}, claims)]
        return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts) + "."

    tokens = {
        none_token(): "token_invalid",
        jwt.encode(claims, Ed25519PrivateKey.generate(), "EdDSA", kid): "token_invalid",
        jwt.encode({**claims, "exp": int(rig.clock.at) - 1}, own, "EdDSA", kid): "token_expired",
        jwt.encode({**claims, "aud": "elsewhere"}, own, "EdDSA", kid): "token_invalid",
        jwt.encode(claims, "x" * 64, "HS256", kid): "token_invalid",
        ServiceTokens(SigningKey.load(rig.keys, "memory"), rig.clock.seconds).issue(ANNA): "token_invalid",
        "abc": "token_invalid",
        "é.é.é": "token_invalid",
        "": "token_missing",
    }
    for token, reason in tokens.items():
        answer = await rig.http.get("/api/v1/domains", headers={b"authorization": b"Bearer " + token.encode()})
        assert_problem(answer, 401, reason)
    assert_problem(await rig.http.get("/api/v1/domains"), 401, "token_missing")
    basic = await rig.http.get("/api/v1/domains", headers={"authorization": f"Basic {good}"})
    assert_problem(basic, 401, "token_missing")


async def test_every_path_but_the_entrance_needs_a_token(rig: Rig) -> None:
    document = (await rig.http.get("/openapi.json")).json()
    entrance = {"/api/v1/about", "/api/v1/auth/register", "/api/v1/auth/login", "/api/v1/auth/refresh"}
    checked = 0
    for path, operations in document["paths"].items():
        for method in set(operations) & {"get", "post", "put", "patch", "delete"}:
            if path.startswith("/api/") and path not in entrance:
                body = {"json": _example(path)} if method in ("post", "put", "patch") else {}
                url = path.replace("{n}", "0").replace("{", "").replace("}", "")
                assert_problem(await rig.http.request(method, url, **body), 401, "token_missing")
                assert operations[method]["security"] == [{"bearer": []}]
                checked += 1
    assert checked >= 25


def _example(path: str) -> dict[str, object]:
    """A body of the right shape for any path that takes one."""
    return {
        "message": "hi",
        "question": "hi",
        "file_name": "a.md",
        "size": 1,
        "sha256": "0" * 64,
        "code": "a",
        "name": "A",
        "org_tags": [],
    }


async def test_administration_is_for_administrators(rig: Rig) -> None:
    for method, path in (("GET", "users"), ("GET", "org-tags"), ("POST", "org-tags"), ("PUT", "users/x/org-tags")):
        answer = await rig.http.request(method, f"/api/v1/admin/{path}", headers=rig.as_(ANNA), json=_example(path))
        assert_problem(answer, 403, "administrators_only")


async def test_the_org_tree_and_who_belongs_where(rig: Rig) -> None:
    root = rig.as_(ROOT)
    company = {"code": "acme", "name": "ACME", "parent_code": None}
    sales = {"code": "acme.sales", "name": "销售", "parent_code": "acme"}
    for tag in (company, sales):
        answer = await rig.http.post("/api/v1/admin/org-tags", json=tag, headers=root)
        assert (answer.status_code, answer.json()) == (201, tag)
    assert (await rig.http.get("/api/v1/admin/org-tags", headers=root)).json() == {"org_tags": [company, sales]}
    again = await rig.http.post("/api/v1/admin/org-tags", json=sales, headers=root)
    assert_problem(again, 409, "org_tag_exists")
    orphan = {"code": "x", "name": "X", "parent_code": "nowhere"}
    assert_problem(await rig.http.post("/api/v1/admin/org-tags", json=orphan, headers=root), 400, "unknown_org_tag")
    strange = {"code": "a b", "name": "X"}
    assert_problem(await rig.http.post("/api/v1/admin/org-tags", json=strange, headers=root), 400, "invalid_org_tag")

    session = await logged_in(rig)
    user_id = session["user"]["id"]
    path = f"/api/v1/admin/users/{user_id}/org-tags"
    changed = await rig.http.put(path, json={"org_tags": ["acme.sales", "acme", "acme"]}, headers=root)
    assert changed.json()["org_tags"] == ["acme.sales", "acme"]
    unknown = await rig.http.put(path, json={"org_tags": ["nowhere"]}, headers=root)
    assert assert_problem(unknown, 400, "unknown_org_tag")["org_tag"] == "nowhere"
    nobody = await rig.http.put("/api/v1/admin/users/x/org-tags", json={"org_tags": []}, headers=root)
    assert_problem(nobody, 404, "unknown_user")

    # What the old token says of the person is not true any more; a renewed one carries the tags.
    assert_problem(await rig.http.get("/api/v1/auth/me", headers=bearer(session)), 401, "token_revoked")
    renewed = (await rig.http.post("/api/v1/auth/refresh", json={"refresh_token": session["refresh_token"]})).json()
    identity = rig.verifier.verify(renewed["access_token"])
    assert identity.principal and identity.principal.org_tags == ("acme.sales", "acme")
    assert (await rig.http.get("/api/v1/auth/me", headers=bearer(renewed))).json()["org_tags"] == ["acme.sales", "acme"]


async def test_people_are_listed_page_by_page(rig: Rig) -> None:
    ids = [(await logged_in(rig, name))["user"]["id"] for name in ("anna", "ben", "cleo")]
    found: list[str] = []
    query = "?limit=2"
    while query:
        answer = (await rig.http.get(f"/api/v1/admin/users{query}", headers=rig.as_(ROOT))).json()
        found += [user["id"] for user in answer["users"]]
        query = answer["next_cursor"] and f"?limit=2&cursor={answer['next_cursor']}"
    assert found == ids
    bad = await rig.http.get("/api/v1/admin/users?cursor=%7B", headers=rig.as_(ROOT))
    assert_problem(bad, 400, "invalid_cursor")


STRICT = EdgeRules(RateRule("registration", 2, 600), RateRule("login", 3, 60), RateRule("chat", 2, 60))


async def test_registration_and_login_are_limited_by_address(gateway_template: Path, tmp_path: Path) -> None:
    async with gateway_rig(gateway_template, tmp_path, STRICT) as rig:
        for name in ("anna", "ben"):
            answer = await rig.http.post("/api/v1/auth/register", json={**CREDENTIALS, "username": name})
            assert answer.status_code == 201
        third = await rig.http.post("/api/v1/auth/register", json={**CREDENTIALS, "username": "cleo"})
        assert assert_problem(third, 429, "rate_limited")["limit"] == "registration"
        assert third.headers["retry-after"] == "600"
        for _ in range(3):
            await rig.http.post("/api/v1/auth/login", json={**CREDENTIALS, "password": "guess again"})
        limited = await rig.http.post("/api/v1/auth/login", json=CREDENTIALS)
        assert_problem(limited, 429, "rate_limited")
        rig.clock.at += 61
        assert (await rig.http.post("/api/v1/auth/login", json=CREDENTIALS)).status_code == 200


async def test_chats_are_limited_by_person(gateway_template: Path, tmp_path: Path) -> None:
    async with gateway_rig(gateway_template, tmp_path, STRICT) as rig:
        rig.orchestrator.events = {answer.turn_id: [] for answer in [rig.orchestrator.answers["StartTurn"]]}
        for _ in range(2):
            answer = await rig.http.post("/api/v1/chat", json={"message": "hi"}, headers=rig.as_())
            assert answer.status_code == 200
        third = await rig.http.post("/api/v1/chat", json={"message": "hi"}, headers=rig.as_())
        assert_problem(third, 429, "rate_limited")
        other = await rig.http.post("/api/v1/chat", json={"message": "hi"}, headers=rig.as_(ROOT))
        assert other.status_code == 200


class LostRateLimits:
    async def take(self, rule: RateRule, subject: str) -> float:
        raise Unavailable("rate_limits_unavailable")


async def test_without_the_shared_windows_chats_pass_and_logins_are_counted_here(
    gateway_template: Path, tmp_path: Path
) -> None:
    async with gateway_rig(gateway_template, tmp_path, STRICT, LostRateLimits()) as rig:
        rig.orchestrator.events = {answer.turn_id: [] for answer in [rig.orchestrator.answers["StartTurn"]]}
        for _ in range(5):
            answer = await rig.http.post("/api/v1/chat", json={"message": "hi"}, headers=rig.as_())
            assert answer.status_code == 200
        codes = [(await rig.http.post("/api/v1/auth/login", json=CREDENTIALS)).status_code for _ in range(4)]
        assert codes == [401, 401, 401, 429]


@pytest.mark.parametrize("password", ["", "x" * 999])
async def test_no_password_costs_more_than_a_hash(rig: Rig, password: str) -> None:
    answer = await rig.http.post("/api/v1/auth/login", json={"username": "nobody", "password": password})
    assert_problem(answer, 401, "wrong_credentials")
