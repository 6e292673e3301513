"""The transport below the model adapter, against servers that say exactly these bytes."""

import asyncio
import datetime
import ipaddress
import ssl
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import MagicMock

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from superagent_common.llm.http_connection import HttpConnection
from superagent_common.llm.http_transport import KeepAliveTransport
from tests.support.raw_server import serving

CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
HELLO = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"
EVIL = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil"


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=KeepAliveTransport(), timeout=120, trust_env=False) as client:
        yield client


async def test_a_connection_serves_one_request_after_another(client: httpx.AsyncClient) -> None:
    async with serving(HELLO) as served:
        assert [(await client.post(served.url, content=b"x")).text for _ in range(3)] == ["hello"] * 3
        assert served.connections == 1
        assert served.requests[0].startswith(b"POST / HTTP/1.1\r\n")
        assert served.requests[0].endswith(b"\r\n\r\nx")


@pytest.mark.parametrize(
    ("answer", "then_close"),
    [
        (b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 5\r\n\r\nhello", False),
        (b"HTTP/1.1 200 OK\r\n\r\nhello", True),
        (HELLO + b"unasked for", False),
        (HELLO, True),
    ],
    ids=["said to close", "body until close", "more than asked for", "closed while idle"],
)
async def test_a_connection_that_cannot_be_used_again_is_not(
    client: httpx.AsyncClient, answer: bytes, then_close: bool
) -> None:
    async with serving(answer, then_close=then_close) as served, serving(HELLO) as other:
        assert (await client.get(served.url)).text == "hello"
        await served.writers[0].wait_closed()
        # A whole exchange elsewhere: by its end the loop has seen the close.
        await client.get(other.url)
        assert (await client.get(served.url)).text == "hello"
        assert served.connections == 2


@pytest.mark.parametrize("parts", [(HELLO + EVIL,), (HELLO, EVIL)], ids=["at once", "while idle"])
async def test_a_second_answer_to_one_question_is_never_taken_for_the_next_questions(
    client: httpx.AsyncClient, parts: tuple[bytes, ...]
) -> None:
    async with serving(*parts) as served:
        assert (await client.get(served.url)).text == "hello"
        await asyncio.wait_for(served.writers[0].wait_closed(), 120)
        assert (await client.get(served.url)).text == "hello"
        assert served.connections == 2


async def test_a_connection_that_idled_too_long_is_not_used_again() -> None:
    now = [0.0]
    transport = KeepAliveTransport(monotonic=lambda: now[0])
    async with httpx.AsyncClient(transport=transport, timeout=120, trust_env=False) as client, serving(HELLO) as served:
        for moment, connections in ((0.0, 1), (29.0, 1), (59.5, 2)):
            now[0] = moment
            await client.get(served.url)
            assert served.connections == connections


async def test_a_connection_lost_before_its_first_request_fails_and_does_not_wait() -> None:
    server = await asyncio.start_server(lambda reader, writer: writer.transport.abort(), "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    lost = asyncio.Event()

    class Noticing(HttpConnection):
        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            lost.set()

    _, connection = await asyncio.get_running_loop().create_connection(Noticing, host, port)
    await asyncio.wait_for(lost.wait(), 120)
    with pytest.raises(httpx.ReadError):
        await asyncio.wait_for(connection.send(b"GET / HTTP/1.1\r\n\r\n"), 120)
    server.close()
    await server.wait_closed()


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 100 Continue\r\n\r\n" + HELLO,
        b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n" + HELLO,
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;ext=1\r\nhel\r\n2\r\nlo\r\n0\r\nx-trailer: 1\r\n\r\n",
    ],
    ids=["continue", "early hints", "chunk extensions and trailers"],
)
async def test_what_http_allows_around_an_answer_is_understood(client: httpx.AsyncClient, answer: bytes) -> None:
    async with serving(answer) as served:
        response = await client.get(served.url)
        assert (response.status_code, response.text) == (200, "hello")
        assert "link" not in response.headers
        assert (await client.get(served.url)).text == "hello"
        assert served.connections == 1


@pytest.mark.parametrize(
    ("answer", "then_close", "error"),
    [
        (b"SSH-2.0-OpenSSH_9.2\r\n", False, httpx.RemoteProtocolError),
        (b"HTTP/1.1 200 OK\r\n" + b"x-filler: %b\r\n" % (b"y" * 1000) * 200, False, httpx.RemoteProtocolError),
        (b"HTTP/1.1 200 OK\r\nx-filler: " + b"y" * 200_000, False, httpx.RemoteProtocolError),
        (b"HTTP/1.1 102 Processing\r\n\r\n" * 8_000, False, httpx.RemoteProtocolError),
        (CHUNKED + b"5;" + b"y" * 200_000, False, httpx.RemoteProtocolError),
        (CHUNKED + b"5\r\nhello\r\n0\r\n" + b"x-filler: y\r\n" * 20_000, False, httpx.RemoteProtocolError),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello", True, httpx.ReadError),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n", True, httpx.ReadError),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n", False, httpx.RemoteProtocolError),
        (b"", True, httpx.ReadError),
    ],
    ids=[
        "no HTTP",
        "endless headers",
        "endless header",
        "endless announcements",
        "endless chunk extension",
        "endless trailers",
        "short body",
        "unfinished chunks",
        "broken chunk",
        "nothing",
    ],
)
async def test_a_broken_answer_is_an_error_of_httpx(
    client: httpx.AsyncClient, answer: bytes, then_close: bool, error: type[Exception]
) -> None:
    async with serving(answer, then_close=then_close) as served, asyncio.timeout(120):
        with pytest.raises(error):
            await client.get(served.url)


async def test_a_slow_reader_stops_the_sender_instead_of_filling_memory(client: httpx.AsyncClient) -> None:
    size = 16 * 1024 * 1024
    answer = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % size + bytes(size)
    async with serving(answer) as served, client.stream("GET", served.url) as response:
        # What the kernel's buffers do not take stays with the sender, although there is time to read it all.
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(served.writers[0].drain(), 0.5)
        received = 0
        async for data in response.aiter_raw():
            received += len(data)
        assert received == size


async def test_what_comes_between_two_beats_is_given_together_and_the_end_never_waits() -> None:
    connection = HttpConnection()
    connection.connection_made(MagicMock(spec=asyncio.Transport))
    asking = asyncio.create_task(connection.send(b"POST / HTTP/1.1\r\n\r\n"))
    await asyncio.sleep(0)
    connection.data_received(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nfirst")
    await asking
    body = connection.body()
    assert await anext(body) == b"first"
    connection.wait_for_beats(1e9)
    reading = asyncio.ensure_future(anext(body))
    await asyncio.sleep(0)
    for piece in (b"se", b"co"):
        connection.data_received(piece)
        await asyncio.sleep(0)
        assert not reading.done()
    connection.data_received(b"d")
    assert await reading == b"secod"
    assert [rest async for rest in body] == []


async def test_closing_a_response_early_closes_its_connection(client: httpx.AsyncClient) -> None:
    async with serving(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhello") as served:
        async with client.stream("GET", served.url) as response:
            assert await anext(response.aiter_raw()) == b"hello"
        await asyncio.wait_for(served.writers[0].wait_closed(), 120)


async def test_a_header_with_a_line_break_is_not_sent_and_not_quoted(client: httpx.AsyncClient) -> None:
    async with serving(HELLO) as served:
        with pytest.raises(httpx.LocalProtocolError) as refusal:
            await client.get(served.url, headers={b"x-key": b"secret\r\nx-evil: 1"})
        assert "secret" not in str(refusal.value)
        assert served.requests == []


async def test_no_connection_in_time_is_a_connect_timeout(client: httpx.AsyncClient) -> None:
    full = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    port = full.sockets[0].getsockname()[1]
    # A TCP server that never begins TLS.
    with pytest.raises(httpx.ConnectTimeout):
        await client.get(f"https://127.0.0.1:{port}/", timeout=0.1)
    full.close()


@dataclass
class Certificate:
    path: Path
    server_context: ssl.SSLContext


@pytest.fixture
def certificate_for(tmp_path: Path) -> Callable[[str], Certificate]:
    """A self-signed certificate for an address."""

    def make(address: str) -> Certificate:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "model")])
        now = datetime.datetime.now(datetime.UTC)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(hours=1))
            .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))]), critical=False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .sign(key, hashes.SHA256())
        )
        path, key_path = tmp_path / "certificate.pem", tmp_path / "key.pem"
        path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        key_path.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path, key_path)
        return Certificate(path, context)

    return make


async def test_https_works_with_a_certificate_that_is_trusted(
    client: httpx.AsyncClient, certificate_for: Callable[[str], Certificate], monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = certificate_for("127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.path))
    async with serving(HELLO, context=certificate.server_context) as served:
        assert (await client.get(served.url)).text == "hello"
        assert (await client.get(served.url)).text == "hello"
        assert served.connections == 1


@pytest.mark.parametrize("trusted", [True, False], ids=["for another host", "of nobody known"])
async def test_https_refuses_a_wrong_certificate(
    client: httpx.AsyncClient,
    certificate_for: Callable[[str], Certificate],
    monkeypatch: pytest.MonkeyPatch,
    trusted: bool,
) -> None:
    certificate = certificate_for("192.0.2.7" if trusted else "127.0.0.1")
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate.path))
    async with serving(HELLO, context=certificate.server_context) as served:
        with pytest.raises(httpx.ConnectError):
            await client.get(served.url)
        assert served.requests == []
