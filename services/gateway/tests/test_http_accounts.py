"""/auth and /admin over HTTP: shapes, tokens, roles, limits."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from services.gateway.tests.gateway_fakes import TURN, a_turn
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
    me = (await rig.http.get("/api/v1/auth/me", headers=bearer(session))).json()
    assert me == {**user, "created_at": "2027-01-15T08:00:00.000000Z", "reachable_org_tags": []}
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
        rig.orchestrator.events[TURN] = a_turn()
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
        rig.orchestrator.events[TURN] = a_turn()
        for _ in range(5):
            answer = await rig.http.post("/api/v1/chat", json={"message": "hi"}, headers=rig.as_())
            assert answer.status_code == 200
        codes = [(await rig.http.post("/api/v1/auth/login", json=CREDENTIALS)).status_code for _ in range(4)]
        assert codes == [401, 401, 401, 429]


@pytest.mark.parametrize("password", ["", "x" * 999])
async def test_no_password_costs_more_than_a_hash(rig: Rig, password: str) -> None:
    answer = await rig.http.post("/api/v1/auth/login", json={"username": "nobody", "password": password})
    assert_problem(answer, 401, "wrong_credentials")
