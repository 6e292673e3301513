import asyncio
import os
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import grpc
import httpx
import pytest

from tests.support.no_outside_network import OutsideNetwork, take_attempts

OUTSIDE = "192.0.2.1"  # TEST-NET-1: nobody's.


def test_a_plain_socket_cannot_leave_the_machine() -> None:
    with socket.socket() as outgoing, pytest.raises(OutsideNetwork):
        outgoing.connect((OUTSIDE, 443))
    assert take_attempts() == [f"socket.connect '{OUTSIDE}'"]


def test_a_datagram_cannot_leave_the_machine() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as outgoing, pytest.raises(OutsideNetwork):
        outgoing.sendto(b"x", (OUTSIDE, 53))
    assert take_attempts()


async def test_httpx_cannot_leave_the_machine_even_past_the_proxy() -> None:
    async with httpx.AsyncClient(trust_env=False) as client:
        with pytest.raises(httpx.ConnectError):
            await client.get(f"http://{OUTSIDE}/")
    assert take_attempts()


async def test_an_outside_name_is_not_looked_up() -> None:
    with pytest.raises(OutsideNetwork):
        await asyncio.get_running_loop().getaddrinfo("api.openai.com", 443)
    assert take_attempts() == ["socket.getaddrinfo 'api.openai.com'"]


async def test_grpc_meets_a_dead_proxy() -> None:
    async with grpc.aio.insecure_channel(f"{OUTSIDE}:443") as channel:
        call = channel.unary_unary("/any/Method")(b"", timeout=30)
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await call
    assert failure.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_loopback_stays_open_by_number_and_by_name() -> None:
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    for host in ("127.0.0.1", "localhost"):
        _, writer = await asyncio.open_connection(host, port)
        writer.close()
    server.close()
    await server.wait_closed()
    assert take_attempts() == []


def test_no_credentials_of_a_provider_are_in_the_environment() -> None:
    left = [name for name in os.environ if name.startswith(("LLM_", "OPENAI_")) or name.endswith("_API_KEY")]
    assert left == []


def test_a_swallowed_attempt_fails_the_test_all_the_same(tmp_path: Path) -> None:
    outcome = run_guarded(
        tmp_path,
        """
        import socket

        def test_that_swallows():
            try:
                socket.create_connection(("192.0.2.1", 443))
            except OSError:
                pass
        """,
    )
    assert "tried to leave this machine: socket.connect '192.0.2.1'" in outcome
    assert "1 passed, 1 error" in outcome


def test_keys_are_taken_out_before_any_test_module_is_imported(tmp_path: Path) -> None:
    outcome = run_guarded(
        tmp_path,
        """
        import os

        FOUND = [name for name in os.environ if name.startswith("LLM_")]

        def test_nothing_found():
            assert FOUND == []
        """,
        LLM_API_KEY="sk-real",
        LLM_MODEL="real",
    )
    assert "1 passed" in outcome


def run_guarded(folder: Path, source: str, **environment: str) -> str:
    """Output of pytest on `source` in its own process, with nothing of this repository but the guard."""
    module = folder / "test_guarded.py"
    module.write_text(textwrap.dedent(source))
    options = ["-p", "tests.support.no_outside_network", "-c", os.devnull, "--rootdir", str(folder)]
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "-p", "no:cacheprovider", str(module)],
        cwd=Path(__file__).parents[2],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return finished.stdout
