"""The whole gateway as it is built, with its neighbours over real gRPC and a real Valkey."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import grpc
import httpx
import pytest

from services.gateway.tests.fake_fleet import FakeFleet, fake_fleet, gateway_settings
from services.gateway.tests.gateway_fakes import TURN
from services.gateway.tests.gateway_rig import frames
from services.gateway.tests.test_http_problems import assert_problem
from superagent.gateway.v1 import gateway_pb2
from superagent.gateway.v1.gateway_pb2_grpc import ConfigServiceStub
from superagent_common.identity import (
    KeySet,
    Principal,
    ServiceTokens,
    SigningKey,
    TokenVerifier,
    UserTokens,
    acting_as,
)
from superagent_common.rpc import Channel
from superagent_common.telemetry import Telemetry
from superagent_gateway.build import build
from superagent_gateway.settings import Settings

CREDENTIALS = {"username": "anna", "password": "correct horse"}


@dataclass
class Running:
    settings: Settings
    http: httpx.AsyncClient
    fleet: FakeFleet
    folder: Path

    async def log_in(self, username: str = "anna", password: str = "correct horse") -> dict[str, str]:
        """Headers of that person's requests."""
        answer = await self.http.post("/api/v1/auth/login", json={"username": username, "password": password})
        assert answer.status_code == 200, answer.text
        return {"authorization": f"Bearer {answer.json()['access_token']}"}


@asynccontextmanager
async def running(folder: Path, fleet: FakeFleet, address: str, redis_url: str) -> AsyncIterator[Running]:
    settings = gateway_settings(folder, address, redis_url)
    async with build(settings), httpx.AsyncClient(base_url=f"http://{settings.http_listen}", timeout=120) as client:
        yield Running(settings, client, fleet, folder)


@pytest.fixture
async def gateways(gateway_template: Path, tmp_path: Path, valkey: str) -> AsyncIterator[tuple[Running, Running]]:
    """Two replicas on one database."""
    shutil.copytree(gateway_template, tmp_path, dirs_exist_ok=True)
    async with AsyncExitStack() as stack:
        fleet, address = await stack.enter_async_context(fake_fleet(tmp_path / "keys"))
        one, other = [await stack.enter_async_context(running(tmp_path, fleet, address, valkey)) for _ in range(2)]
        yield one, other


@pytest.fixture
def gateway(gateways: tuple[Running, Running]) -> Running:
    return gateways[0]


def administrator(folder: Path) -> list[str]:
    """Name and password."""
    return (folder / "admin-password").read_text().splitlines()


async def until_refused(client: httpx.AsyncClient, headers: dict[str, str]) -> httpx.Response:
    """The first answer that is a 401: the configuration's signal travels on its own."""
    async with asyncio.timeout(120):
        while True:
            answer = await client.get("/api/v1/auth/me", headers=headers)
            if answer.status_code == 401:
                return answer


async def test_the_main_way_through(gateway: Running) -> None:
    assert (await gateway.http.post("/api/v1/auth/register", json=CREDENTIALS)).status_code == 201
    headers = await gateway.log_in()
    answer = await gateway.http.post("/api/v1/chat", json={"message": "hi"}, headers=headers)
    assert [number for _, number, _ in frames(answer.text)] == [1, 2, 3, 4]
    again = await gateway.http.get(f"/api/v1/turns/{TURN}/events", headers={**headers, "last-event-id": "2"})
    assert [number for _, number, _ in frames(again.text)] == [3, 4]
    assert (await gateway.http.get("/api/v1/conversations", headers=headers)).status_code == 200
    for identity in gateway.fleet.identities:
        assert identity.principal and (identity.principal.username, identity.service) == ("anna", "gateway")
        assert identity.subject_token == headers["authorization"].removeprefix("Bearer ")


async def test_failures_keep_their_kind_across_the_wire(gateway: Running) -> None:
    await gateway.http.post("/api/v1/auth/register", json=CREDENTIALS)
    headers = await gateway.log_in()
    unknown = await gateway.http.get("/api/v1/turns/nothing/events", headers=headers)
    assert_problem(unknown, 404, "unknown_turn")
    not_served = await gateway.http.get(f"/api/v1/traces/turns/{TURN}", headers=headers)
    assert_problem(not_served, 501, "not_implemented")


async def test_a_part_reaches_ingestion_and_a_broken_one_is_broken_off(gateway: Running) -> None:
    await gateway.http.post("/api/v1/auth/register", json=CREDENTIALS)
    headers = await gateway.log_in()
    body = bytes(range(256)) * 12_000
    answer = await gateway.http.put("/api/v1/uploads/u/parts/0", content=body, headers=headers)
    assert (answer.status_code, answer.json()) == (200, {"parts_received": [0], "parts_total": 1})
    assert gateway.fleet.part == body
    too_large = await gateway.http.put("/api/v1/uploads/u/parts/0", content=_endless(), headers=headers)
    assert_problem(too_large, 413, "body_too_large")

    gateway.fleet.part_began.clear()
    gateway.fleet.part_ended.clear()

    async def dying() -> AsyncIterator[bytes]:
        yield b"x" * 600_000
        await gateway.fleet.part_began.wait()
        raise RuntimeError("the client dies")

    with pytest.raises(RuntimeError):
        await gateway.http.put("/api/v1/uploads/u/parts/0", content=dying(), headers=headers)
    async with asyncio.timeout(120):
        await gateway.fleet.part_ended.wait()


async def _endless() -> AsyncIterator[bytes]:
    for _ in range(100):
        yield b"x" * 100_000


async def test_readiness_follows_the_services(gateway: Running) -> None:
    async with asyncio.timeout(120):
        while (answer := await gateway.http.get("/readyz")).status_code != 200:
            pass
    assert answer.json()["status"] == "ready"
    assert set(answer.json()["services"]) == {
        "orchestrator",
        "agent-executor",
        "memory",
        "retrieval",
        "ingestion",
        "trace",
    }
    await gateway.fleet.readiness.set(False)
    async with asyncio.timeout(120):
        while (await gateway.http.get("/readyz")).status_code != 503:
            pass


async def test_services_follow_the_configuration_and_people_may_not(gateways: tuple[Running, Running]) -> None:
    one, other = gateways
    admin = await one.log_in(*administrator(one.folder))
    keys = one.folder / "keys"
    telemetry = Telemetry("memory")
    channel = Channel(other.settings.listen, telemetry, ServiceTokens(SigningKey.load(keys, "memory")))
    config = ConfigServiceStub(channel)
    first = await config.GetSnapshot(gateway_pb2.GetSnapshotRequest())
    assert (first.changed, list(first.snapshot.org_tags)) == (True, [])
    await one.http.post("/api/v1/admin/org-tags", json={"code": "acme", "name": "ACME"}, headers=admin)
    async with asyncio.timeout(120):
        while not (
            second := await config.GetSnapshot(gateway_pb2.GetSnapshotRequest(since_version=first.version))
        ).changed:
            pass
    assert second.version > first.version
    assert list(second.snapshot.org_tags) == [gateway_pb2.OrgTag(code="acme", name="ACME")]
    domain = {"code": "ops", "name": "运维", "description": "Machines.", "owner_org_tag": "acme"}
    await one.http.post("/api/v1/admin/domains", json=domain, headers=admin)
    async with asyncio.timeout(120):
        while not (
            third := await config.GetSnapshot(gateway_pb2.GetSnapshotRequest(since_version=second.version))
        ).changed:
            pass
    assert list(third.snapshot.domains) == [gateway_pb2.KnowledgeDomain(**domain)]
    unchanged = await config.GetSnapshot(gateway_pb2.GetSnapshotRequest(since_version=third.version))
    assert unchanged == gateway_pb2.GetSnapshotResponse(version=third.version)

    person = UserTokens(SigningKey.load(keys, "gateway-user")).issue(Principal("u", "anna"), 1)
    async with grpc.aio.insecure_channel(other.settings.listen) as plain:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await ConfigServiceStub(plain).GetSnapshot(
                gateway_pb2.GetSnapshotRequest(), metadata=(("authorization", f"Bearer {person}"),)
            )
    assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
    with acting_as(TokenVerifier(KeySet.load(keys)).verify(person)):
        # On behalf of a person is fine: it is still a service that calls.
        await config.GetSnapshot(gateway_pb2.GetSnapshotRequest())
    await channel.close()
    await telemetry.close()


async def test_what_one_replica_revokes_the_other_refuses(gateways: tuple[Running, Running]) -> None:
    one, other = gateways
    await one.http.post("/api/v1/auth/register", json=CREDENTIALS)
    headers = await one.log_in()
    assert (await other.http.get("/api/v1/auth/me", headers=headers)).status_code == 200
    await one.http.post("/api/v1/auth/logout", headers=headers)
    assert_problem(await until_refused(other.http, headers), 401, "token_revoked")
    snapshot_headers = await other.log_in()
    assert (await one.http.get("/api/v1/auth/me", headers=snapshot_headers)).status_code == 200


async def test_a_gateway_starts_and_serves_without_redis(gateway_template: Path, tmp_path: Path) -> None:
    shutil.copytree(gateway_template, tmp_path, dirs_exist_ok=True)
    async with (
        fake_fleet(tmp_path / "keys") as (fleet, address),
        running(tmp_path, fleet, address, "redis://127.0.0.1:1") as gateway,
    ):
        assert (await gateway.http.post("/api/v1/auth/register", json=CREDENTIALS)).status_code == 201
        headers = await gateway.log_in()
        answer = await gateway.http.post("/api/v1/chat", json={"message": "hi"}, headers=headers)
        assert [number for _, number, _ in frames(answer.text)] == [1, 2, 3, 4]


async def test_the_installation_says_its_version_and_model(gateway: Running) -> None:
    about = (await gateway.http.get("/api/v1/about")).json()
    assert about["version"] == version("superagent")
    assert about["model"] == {"configured": False, "name": None}


async def test_a_ban_at_one_replica_reaches_the_other(gateways: tuple[Running, Running]) -> None:
    one, other = gateways
    user_id = (await one.http.post("/api/v1/auth/register", json=CREDENTIALS)).json()["user_id"]
    admin, headers = await one.log_in(*administrator(one.folder)), await other.log_in()
    path = f"/api/v1/admin/users/{user_id}"
    assert (await one.http.patch(path, json={"banned": True}, headers=admin)).json()["banned"] is True
    # Signing in asks the database, so that it is closed at once; what is open closes with the signal.
    assert_problem(await other.http.post("/api/v1/auth/login", json=CREDENTIALS), 403, "banned")
    assert_problem(await until_refused(other.http, headers), 401, "token_revoked")
