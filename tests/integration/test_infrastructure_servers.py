"""The embedded servers on their own: what they keep, whom they let in, how they come back."""

from __future__ import annotations

import asyncio
import io
import signal
import socket
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
from confluent_kafka import Consumer, Producer
from minio import Minio
from redis.asyncio import Redis
from redis.exceptions import AuthenticationError

from dev.infrastructure import EmbeddedInfrastructure

TOPIC = "superagent.test.happened.v1"


@pytest.fixture(scope="module")
async def infrastructure(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EmbeddedInfrastructure]:
    async with EmbeddedInfrastructure(tmp_path_factory.mktemp("infrastructure") / "with a space") as running:
        yield running


def objects(where: dict[str, str]) -> Minio:
    endpoint = where["S3_ENDPOINT"].removeprefix("http://")
    return Minio(endpoint, where["S3_ACCESS_KEY"], where["S3_SECRET_KEY"], secure=False, region="us-east-1")


def produce(where: dict[str, str], value: bytes) -> None:
    producer = Producer({"bootstrap.servers": where["KAFKA_BROKERS"], "acks": "all", "enable.idempotence": True})
    producer.produce(TOPIC, value, b"key")
    assert producer.flush(90) == 0


def consume(where: dict[str, str], group: str, wanted: bytes) -> bool:
    """Whether `wanted` comes within 90 s."""
    consumer = Consumer(
        {
            "bootstrap.servers": where["KAFKA_BROKERS"],
            "group.id": group,
            "auto.offset.reset": "earliest",
            "session.timeout.ms": 6000,
            "heartbeat.interval.ms": 1000,
        }
    )
    try:
        consumer.subscribe([TOPIC])
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            message = consumer.poll(0.5)
            if message is not None and not message.error() and message.value() == wanted:
                return True
        return False
    finally:
        consumer.close()


async def write_everywhere(where: dict[str, str], mark: str) -> None:
    async with Redis.from_url(where["REDIS_URL"]) as redis:
        await redis.set(f"mark:{mark}", mark)
    data = mark.encode() * 50_000
    await asyncio.to_thread(objects(where).put_object, where["S3_BUCKET"], f"marks/{mark}", io.BytesIO(data), len(data))
    await asyncio.to_thread(produce, where, mark.encode())


async def assert_kept_everywhere(where: dict[str, str], mark: str, reader: str) -> None:
    async with Redis.from_url(where["REDIS_URL"]) as redis:
        assert await redis.get(f"mark:{mark}") == mark.encode()
    stored = await asyncio.to_thread(objects(where).get_object, where["S3_BUCKET"], f"marks/{mark}")
    assert stored.data == mark.encode() * 50_000
    assert await asyncio.to_thread(consume, where, reader, mark.encode())


@pytest.mark.parametrize("name", ["valkey", "seaweedfs", "tansu"])
async def test_a_killed_server_comes_back_at_its_address_with_its_data(
    infrastructure: EmbeddedInfrastructure, name: str
) -> None:
    where = infrastructure.environment()
    await write_everywhere(where, f"before-{name}")
    killed = infrastructure.processes[name].kill(signal.SIGKILL)
    await infrastructure.processes[name].wait_ready(90, other_than=killed)
    assert infrastructure.environment() == where
    await assert_kept_everywhere(where, f"before-{name}", reader=f"after-{name}")
    await write_everywhere(where, f"after-{name}")


async def test_servers_listen_on_loopback_only(infrastructure: EmbeddedInfrastructure) -> None:
    for name, process in infrastructure.processes.items():
        doors = [c for c in psutil.Process(process.pid).net_connections("inet") if c.status == psutil.CONN_LISTEN]
        assert doors, name
        assert {door.laddr.ip for door in doors} == {"127.0.0.1"}, name


async def test_no_store_opens_without_credentials(infrastructure: EmbeddedInfrastructure) -> None:
    where = infrastructure.environment()
    await write_everywhere(where, "secret")
    async with Redis.from_url("redis://" + where["REDIS_URL"].rpartition("@")[2]) as redis:
        with pytest.raises(AuthenticationError):
            await redis.get("mark:secret")
    weed = psutil.Process(infrastructure.processes["seaweedfs"].pid)
    doors = {argument.partition("=")[0]: argument.partition("=")[2] for argument in weed.cmdline()}
    for address, refusal in (
        (f"{where['S3_ENDPOINT']}/{where['S3_BUCKET']}/marks/secret", 403),
        (f"http://127.0.0.1:{doors['-filer.port']}/buckets/{where['S3_BUCKET']}/marks/secret", 401),
    ):
        with pytest.raises(urllib.error.HTTPError) as refused:
            await asyncio.to_thread(urllib.request.urlopen, address, timeout=120)
        assert refused.value.code == refusal


async def test_a_later_start_finds_data_credentials_and_addresses_again(tmp_path: Path) -> None:
    async with EmbeddedInfrastructure(tmp_path) as first:
        where = first.environment()
        await write_everywhere(where, "kept")
    async with EmbeddedInfrastructure(tmp_path) as second:
        assert second.environment() == where
        await assert_kept_everywhere(where, "kept", reader="later")
    for name in ("credentials.json", "valkey/valkey.conf"):
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600


async def test_data_is_kept_when_a_port_was_taken_meanwhile(tmp_path: Path) -> None:
    async with EmbeddedInfrastructure(tmp_path) as first:
        where = first.environment()
        await write_everywhere(where, "kept")
    ports = [
        int(where[name].rpartition(":")[2].partition("/")[0]) for name in ("KAFKA_BROKERS", "S3_ENDPOINT", "REDIS_URL")
    ]
    takers = [socket.create_server(("127.0.0.1", port)) for port in ports]
    try:
        async with EmbeddedInfrastructure(tmp_path) as second:
            elsewhere = second.environment()
            assert not {elsewhere[name] for name in ("KAFKA_BROKERS", "S3_ENDPOINT", "REDIS_URL")} & set(where.values())
            await assert_kept_everywhere(elsewhere, "kept", reader="elsewhere")
    finally:
        for taker in takers:
            taker.close()


async def test_servers_stop_soon_and_leave_nothing(tmp_path: Path) -> None:
    async with EmbeddedInfrastructure(tmp_path) as running:
        pids = [process.pid for process in running.processes.values()]
        began = time.monotonic()
    # A second or two, and what a busy machine adds; whoever will not stop would stay.
    assert time.monotonic() - began < 120
    assert not [pid for pid in pids if psutil.pid_exists(pid)]
    assert not list((tmp_path / "run").iterdir())
