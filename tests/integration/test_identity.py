"""Who may do what, at the HTTP door and at the gRPC doors behind it."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from dev.api_client import ApiClient
from dev.fleet import Fleet
from dev.grouping import ROOT
from superagent.retrieval.v1.retrieval_pb2 import IndexChunksRequest, SearchRequest, SearchResponse
from superagent.retrieval.v1.retrieval_pb2_grpc import RetrievalServiceStub
from superagent_common.identity import ServiceTokens, SigningKey
from tests.support.grpc_doors import NOBODY, Metadata, as_service, bearer, channel, reason_of
from tests.support.knowledge import MARKDOWN

README = ROOT / "services" / "retrieval" / "README.md"


def access_token(person: ApiClient) -> str:
    return person.http.headers["authorization"].removeprefix("Bearer ")


async def refused_search(fleet: Fleet, metadata: Metadata) -> tuple[grpc.StatusCode, str]:
    """Status and reason of a search that must not be answered."""
    async with channel(fleet.environment["RETRIEVAL_ADDRESS"]) as opened:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await RetrievalServiceStub(opened).Search(SearchRequest(question="leave"), metadata=metadata)
    return refused.value.code(), reason_of(refused.value)


async def test_the_ten_line_client_of_the_readme_gets_the_same_evidence_as_http(
    fleet_with_model: Fleet, person: ApiClient, tmp_path: Path
) -> None:
    await person.settled(await person.upload(MARKDOWN.file_name, MARKDOWN.content))
    client_of_it, reasons_of_it = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len([line for line in client_of_it.splitlines() if line]) <= 10
    kept = tmp_path / "found"
    client = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        f"{client_of_it}\nopen({str(kept)!r}, 'wb').write(found.SerializeToString())\n{reasons_of_it}",
        MARKDOWN.question,
        env={
            **os.environ,
            "RETRIEVAL_ADDRESS": fleet_with_model.environment["RETRIEVAL_ADDRESS"],
            "ACCESS_TOKEN": access_token(person),
        },
        stdout=asyncio.subprocess.PIPE,
    )
    printed, _ = await client.communicate()
    assert client.returncode == 0
    over_grpc = SearchResponse.FromString(kept.read_bytes())
    over_http = (await person.http.post("/retrieval/search", json={"question": MARKDOWN.question})).json()
    assert over_http["evidence"]
    assert [
        (passage.citation_id, passage.document_id, passage.parent_id, passage.text, list(passage.heading_path))
        for passage in over_grpc.evidence
    ] == [
        (passage["citation_id"], passage["document_id"], passage["parent_id"], passage["text"], passage["heading_path"])
        for passage in over_http["evidence"]
    ]
    assert over_http["evidence"][0]["text"] in printed.decode()
    assert printed.decode().endswith("INVALID_ARGUMENT empty_question\n")


async def test_calls_without_a_token_are_unauthenticated(fleet_with_model: Fleet) -> None:
    assert await refused_search(fleet_with_model, NOBODY) == (grpc.StatusCode.UNAUTHENTICATED, "token_missing")


async def test_a_person_may_not_call_what_is_for_services(fleet_with_model: Fleet, anybody: ApiClient) -> None:
    async def nothing() -> Any:
        yield IndexChunksRequest()

    async with channel(fleet_with_model.environment["RETRIEVAL_ADDRESS"]) as opened:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await RetrievalServiceStub(opened).IndexChunks(nothing(), metadata=bearer(access_token(anybody)))
    assert refused.value.code() == grpc.StatusCode.PERMISSION_DENIED
    assert reason_of(refused.value) == "service_only"


async def test_a_service_that_acts_for_nobody_finds_nothing(fleet_with_model: Fleet) -> None:
    keys = fleet_with_model.data_dir / "keys"
    assert await refused_search(fleet_with_model, as_service(keys)) == (grpc.StatusCode.UNAUTHENTICATED, "no_person")


async def test_a_service_searches_with_the_eyes_of_the_person_it_acts_for(
    fleet_with_model: Fleet, people: Callable[[], Any]
) -> None:
    owner, stranger = await people(), await people()
    document_id = await owner.upload(MARKDOWN.file_name, MARKDOWN.content)
    await owner.settled(document_id)
    keys = fleet_with_model.data_dir / "keys"
    async with channel(fleet_with_model.environment["RETRIEVAL_ADDRESS"]) as opened:
        for client, expected in ((owner, [document_id]), (stranger, [])):
            found = await RetrievalServiceStub(opened).Search(
                SearchRequest(question=MARKDOWN.question),
                metadata=as_service(keys, "agent-executor", for_person=access_token(client)),
            )
            assert [passage.document_id for passage in found.evidence] == expected


def _unsigned(claims: dict[str, Any], header: dict[str, Any]) -> str:
    def part(document: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(document).encode()).rstrip(b"=").decode()

    return f"{part(header)}.{part(claims)}."


def _forged(attack: str, fleet: Fleet, victim: ApiClient) -> tuple[str, str]:
    """A token that must not count, and the reason it is refused with."""
    keys = fleet.data_dir / "keys"
    genuine = SigningKey.load(keys, "gateway-user").key
    now = int(time.time())
    claims: dict[str, Any] = {
        "iss": "gateway",
        "aud": "superagent",
        "typ": "access",
        "sub": victim.user["id"],
        "name": victim.user["username"],
        "roles": ["user", "admin"],
        "org_tags": [],
        "ver": 1,
        "iat": now,
        "exp": now + 3600,
        "jti": "forged",
    }
    header = {"kid": "gateway-user"}

    def signed(changes: dict[str, Any], key: Any = genuine, algorithm: str = "EdDSA", **headers: Any) -> str:
        return jwt.encode({**claims, **changes}, key, algorithm=algorithm, headers={**header, **headers})

    public = genuine.public_key().public_bytes_raw()
    match attack:
        case "alg none":
            return _unsigned(claims, {"alg": "none", "typ": "JWT", **header}), "token_invalid"
        case "no signature":
            return signed({}).rpartition(".")[0] + ".", "token_invalid"
        case "public key as secret":
            # PyJWT warns of the short secret; an attacker would not mind.
            return jwt.encode(claims, public + public, algorithm="HS256", headers=header), "token_invalid"
        case "wrong key":
            return signed({}, Ed25519PrivateKey.generate()), "token_invalid"
        case "a service's key under the gateway's name":
            return signed({}, SigningKey.load(keys, "trace").key), "token_invalid"
        case "a service's key under its own name":
            return signed({"iss": "trace"}, SigningKey.load(keys, "trace").key, kid="trace"), "token_invalid"
        case "unknown key id":
            return signed({}, kid="../../keys/gateway-user"), "token_invalid"
        case "expired":
            return signed({"iat": now - 7200, "exp": now - 3600}), "token_expired"
        case "foreign audience":
            return signed({"aud": "another-product"}), "token_invalid"
        case "foreign issuer":
            return signed({"iss": "another-product"}), "token_invalid"
        case "not an access token":
            return signed({"typ": "refresh"}), "token_invalid"
        case "garbage":
            return "not.a.token", "token_invalid"
    raise AssertionError(attack)


ATTACKS = (
    "alg none",
    "no signature",
    "public key as secret",
    "wrong key",
    "a service's key under the gateway's name",
    "a service's key under its own name",
    "unknown key id",
    "expired",
    "foreign audience",
    "foreign issuer",
    "not an access token",
    "garbage",
)


@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")
@pytest.mark.parametrize("attack", ATTACKS)
async def test_a_forged_token_is_refused_at_both_doors(
    fleet_with_model: Fleet, anybody: ApiClient, attack: str
) -> None:
    token, reason = _forged(attack, fleet_with_model, anybody)
    headers = {"authorization": f"Bearer {token}"}
    for method, path in (("GET", "/auth/me"), ("POST", "/chat"), ("GET", "/admin/users")):
        answer = await anybody.http.request(method, path, headers=headers, json={"message": "hi"})
        assert (answer.status_code, answer.json()["reason"]) == (401, reason)
        assert answer.headers["www-authenticate"] == "Bearer"
    assert await refused_search(fleet_with_model, bearer(token)) == (grpc.StatusCode.UNAUTHENTICATED, reason)


async def test_a_services_own_token_opens_no_http_door(fleet_with_model: Fleet, anybody: ApiClient) -> None:
    token = ServiceTokens(SigningKey.load(fleet_with_model.data_dir / "keys", "ingestion")).issue()
    answer = await anybody.http.get("/auth/me", headers={"authorization": f"Bearer {token}"})
    assert (answer.status_code, answer.json()["reason"]) == (401, "token_invalid")


async def test_only_administrators_administrate(anybody: ApiClient, administrator: ApiClient) -> None:
    for method, path, body in (
        ("GET", "/admin/users", None),
        ("GET", "/admin/org-tags", None),
        ("POST", "/admin/org-tags", {"code": "mine", "name": "Mine"}),
        ("PUT", f"/admin/users/{anybody.user['id']}/org-tags", {"org_tags": []}),
    ):
        answer = await anybody.http.request(method, path, json=body)
        assert (answer.status_code, answer.json()["reason"]) == (403, "administrators_only")
    assert (await administrator.http.get("/admin/users")).status_code == 200


async def test_a_session_is_renewed_once_and_ended_by_logging_out(anybody: ApiClient) -> None:
    async with httpx.AsyncClient(base_url=anybody.http.base_url, trust_env=False, timeout=120) as http:
        name, password = "renewing", "a long enough password"
        registered = await http.post("/auth/register", json={"username": name, "password": password})
        assert registered.status_code == 201
        first = (await http.post("/auth/login", json={"username": name, "password": password})).json()
        second = (await http.post("/auth/refresh", json={"refresh_token": first["refresh_token"]})).json()
        assert second["refresh_token"] != first["refresh_token"]
        http.headers["authorization"] = f"Bearer {second['access_token']}"
        assert (await http.get("/auth/me")).json()["username"] == name
        assert (await http.post("/auth/logout", json={})).status_code == 204
        gone = await http.get("/auth/me")
        assert (gone.status_code, gone.json()["reason"]) == (401, "token_revoked")
        stale = await http.post("/auth/refresh", json={"refresh_token": second["refresh_token"]})
        assert stale.status_code == 401
