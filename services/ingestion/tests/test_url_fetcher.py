"""Fetching from addresses that anybody may give: nothing reaches where only we can, nothing takes more than it may."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import socket
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from services.ingestion.tests.fetching_steps import LIMIT, certified, fetch, names, passing, refusal
from superagent_ingestion.domain.fetching import Fetched
from tests.support.http_origin import Origin, moved, page, serving


@pytest.fixture
async def origin() -> AsyncIterator[Origin]:
    async with serving() as made:
        yield made


async def test_a_document_is_fetched_with_its_name_size_and_hash(origin: Origin, tmp_path: Path) -> None:
    origin.answers["/files/report.md?x=1"] = page(b"# Report\n", content_type="text/markdown")
    got, content = await fetch(f"http://127.0.0.1:{origin.port}/files/report.md?x=1#part", tmp_path, origin.port)
    assert content == b"# Report\n"
    assert got == Fetched("report.md", 9, hashlib.sha256(content).hexdigest(), "127.0.0.1", 0)
    (head,) = origin.requests
    assert f"Host: 127.0.0.1:{origin.port}\r\n" in head
    assert "traceparent" not in head.lower()
    assert "authorization" not in head.lower()


async def test_redirects_are_followed_without_cookies(origin: Origin, tmp_path: Path) -> None:
    origin.answers["/a"] = page(b"", "301 Moved", location="/b", set_cookie="session=1; Path=/")
    origin.answers["/b"] = moved(f"http://files.example:{origin.port}/c.txt")
    origin.answers["/c.txt"] = page(b"Text.")
    got, _ = await fetch(
        f"http://127.0.0.1:{origin.port}/a", tmp_path, origin.port, resolve=names(files_example="127.0.0.1")
    )
    assert (got.redirects, got.host, got.file_name) == (2, "files.example", "c.txt")
    assert f"Host: files.example:{origin.port}\r\n" in origin.requests[-1]
    assert not any("cookie" in head.lower() for head in origin.requests)


FORBIDDEN = [
    *("127.0.0.1", "127.1", "2130706433", "0x7f000001", "017700000001", "0x7f.1", "0", "0.0.0.0", "localhost"),
    *("169.254.169.254", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.100.100.200", "168.63.129.16", "224.0.0.1"),
    *("[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[64:ff9b::a9fe:a9fe]"),
    *("[2002:7f00:1::]", "[fd00:ec2::254]", "[fe80::1]", "[ff02::1]", "[::127.0.0.1]", "127.0.0.1."),
]
UNREADABLE = ["0177.0.0.1", "\u2460\u2461\u2466.0.0.1", "\uff11\uff12\uff17.0.0.1"]


@pytest.mark.parametrize("host", FORBIDDEN + UNREADABLE)
async def test_no_spelling_of_an_inner_address_is_fetched(origin: Origin, tmp_path: Path, host: str) -> None:
    expected = "fetch_failed" if host in UNREADABLE else "fetch_forbidden_address"
    resolve = names(localhost="127.0.0.1", **{"127_0_0_1_": "127.0.0.1"})
    url = f"http://{host}:{origin.port}/"
    assert await refusal(url, tmp_path, origin.port, networks="", resolve=resolve) == expected
    assert origin.requests == []


@pytest.mark.parametrize(
    "host",
    ["127.0.0.2", "[::ffff:127.0.0.2]", "[64:ff9b::7f00:2]", "0.0.0.0", "169.254.169.254", "[::1]", "2130706434"],
)
async def test_no_redirect_leads_to_an_inner_address(origin: Origin, tmp_path: Path, host: str) -> None:
    async with serving("127.0.0.2", origin.port) as inner:
        inner.answers["/"] = page(b"secret")
        origin.answers["/a"] = moved(f"http://{host}:{origin.port}/")
        assert await refusal(f"http://127.0.0.1:{origin.port}/a", tmp_path, origin.port) == "fetch_forbidden_address"
    assert inner.requests == []


async def test_a_name_that_leads_inside_is_refused(origin: Origin, tmp_path: Path) -> None:
    inside = names(metadata_google_internal="169.254.169.254", half_example=["93.184.215.14", "127.0.0.2"])
    for host in ("metadata.google.internal", "half.example"):
        assert await refusal(f"http://{host}/", tmp_path, resolve=inside) == "fetch_forbidden_address"


async def test_a_name_that_is_rebound_leads_nowhere_else(origin: Origin, tmp_path: Path) -> None:
    answers = iter(["127.0.0.1", "127.0.0.2"])
    asked: list[str] = []

    async def rebinding(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return [next(answers)]

    origin.answers["/a"] = moved("/b")
    async with serving("127.0.0.2", origin.port) as inner:
        inner.answers["/b"] = page(b"secret")
        url = f"http://rebound.example:{origin.port}/a"
        assert await refusal(url, tmp_path, origin.port, resolve=rebinding) == "fetch_forbidden_address"
    # Asked once for each hop, and only the checked address was connected to.
    assert asked == ["rebound.example"] * 2
    assert origin.paths == ["/a"]
    assert inner.requests == []


async def test_the_second_address_is_tried_when_the_first_does_not_listen(origin: Origin, tmp_path: Path) -> None:
    origin.answers["/"] = page()
    resolve = names(two_example=["127.0.0.3", "127.0.0.1"])
    _, content = await fetch(
        f"http://two.example:{origin.port}/", tmp_path, origin.port, resolve=resolve, networks="127.0.0.0/8"
    )
    assert content == b"Some text."


@pytest.mark.parametrize(
    "location",
    ["file:///etc/passwd", "gopher://127.0.0.1/", "http://user:pw@127.0.0.1/", "//127.0.0.2/", "ftp://127.0.0.1/"],
)
async def test_a_redirect_to_what_may_not_be_asked_for_is_refused(
    origin: Origin, tmp_path: Path, location: str
) -> None:
    origin.answers["/"] = moved(location)
    assert await refusal(f"http://127.0.0.1:{origin.port}/", tmp_path, origin.port) == "fetch_forbidden_address"


async def test_other_ports_are_refused(origin: Origin, tmp_path: Path) -> None:
    assert await refusal(f"http://127.0.0.1:{origin.port}/", tmp_path) == "fetch_forbidden_address"
    assert origin.requests == []


async def test_redirects_end(origin: Origin, tmp_path: Path) -> None:
    origin.answers["/loop"] = moved("/loop")
    for number in range(10):
        origin.answers[f"/{number}"] = moved(f"/{number + 1}")
    for path in ("/loop", "/0"):
        origin.requests.clear()
        assert await refusal(f"http://127.0.0.1:{origin.port}{path}", tmp_path, origin.port) == "fetch_redirects"
        assert len(origin.requests) == 4


@pytest.mark.parametrize("status", ["404 Not Found", "403 Forbidden", "410 Gone", "204 No Content", "206 Partial"])
async def test_an_error_page_is_not_a_document(origin: Origin, tmp_path: Path, status: str) -> None:
    origin.answers["/"] = page(b"<html><h1>Sorry</h1></html>", status, content_type="text/html")
    assert await refusal(f"http://127.0.0.1:{origin.port}/", tmp_path, origin.port) == "fetch_status"
    assert not (tmp_path / "content").exists()


@pytest.mark.parametrize("status", ["500 Error", "503 Away", "429 Slowly"])
async def test_a_server_in_trouble_is_worth_another_try(origin: Origin, tmp_path: Path, status: str) -> None:
    origin.answers["/"] = page(b"<html><h1>Sorry</h1></html>", status, content_type="text/html")
    assert await passing(f"http://127.0.0.1:{origin.port}/", tmp_path, origin.port) == "fetch_status"


async def test_a_body_without_end_is_cut(origin: Origin, tmp_path: Path) -> None:
    sent = 0

    async def endless(writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b"x" * 65_536)
            sent += 65_536
            await writer.drain()

    origin.answers["/"] = endless
    assert await refusal(f"http://127.0.0.1:{origin.port}/", tmp_path, origin.port) == "fetch_too_large"
    assert (tmp_path / "content").stat().st_size <= LIMIT
    assert sent < 50 * LIMIT


async def test_what_is_announced_too_large_is_not_read(origin: Origin, tmp_path: Path) -> None:
    origin.answers["/"] = page(b"x", content_length=str(10**15))
    assert await refusal(f"http://127.0.0.1:{origin.port}/", tmp_path, origin.port) == "fetch_too_large"


async def test_a_body_that_drips_ends_with_the_time(origin: Origin, tmp_path: Path) -> None:
    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.02)

    origin.answers["/"] = drip
    url = f"http://127.0.0.1:{origin.port}/"
    assert await refusal(url, tmp_path, origin.port, seconds=1) == "fetch_timeout"


async def test_a_compressed_body_is_unpacked_up_to_the_limit(origin: Origin, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{origin.port}/"
    origin.answers["/"] = page(gzip.compress(b"Some text."), content_encoding="gzip")
    assert (await fetch(url, tmp_path, origin.port))[1] == b"Some text."
    origin.answers["/"] = page(gzip.compress(bytes(50_000_000)), content_encoding="gzip")
    assert await refusal(url, tmp_path, origin.port) == "fetch_too_large"
    assert (tmp_path / "content").stat().st_size <= LIMIT
    several = gzip.compress(b"Some ") + gzip.compress(b"text.")
    origin.answers["/"] = page(several, content_encoding="gzip")
    assert (await fetch(url, tmp_path, origin.port))[1] == b"Some text.", "nothing of it is left out"
    origin.answers["/"] = page(several + b"no gzip", content_encoding="gzip")
    assert await refusal(url, tmp_path, origin.port) == "fetch_failed"
    origin.answers["/"] = page(b"not gzip", content_encoding="gzip")
    assert await refusal(url, tmp_path, origin.port) == "fetch_failed"
    origin.answers["/"] = page(b"x", content_encoding="br")
    assert await refusal(url, tmp_path, origin.port) == "fetch_failed"
    origin.answers["/"] = page(gzip.compress(b"Some text.")[:-6], content_encoding="gzip")
    assert await passing(url, tmp_path, origin.port) == "fetch_failed"


async def test_a_compressed_body_of_nothing_without_end_is_cut(origin: Origin, tmp_path: Path) -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
        while True:
            writer.write(gzip.compress(b"") * 1_000)
            await writer.drain()

    origin.answers["/"] = endless
    assert await refusal(f"http://127.0.0.1:{origin.port}/", tmp_path, origin.port) == "fetch_too_large"


@pytest.mark.parametrize(
    "answer",
    [
        page(b"short", content_length="50"),
        b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 200_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"".join(b"x-%d: y\r\n" % number for number in range(30_000)) + b"\r\n",
        b"This is no HTTP\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"",
    ],
    ids=["length", "long header", "many headers", "no HTTP", "chunks", "nothing"],
)
async def test_an_answer_that_is_broken_fails(origin: Origin, tmp_path: Path, answer: bytes) -> None:
    origin.answers["/"] = answer
    assert await passing(f"http://127.0.0.1:{origin.port}/", tmp_path, origin.port) == "fetch_failed"


async def test_nobody_who_listens_may_pass(origin: Origin, tmp_path: Path) -> None:
    async with serving() as gone:
        pass
    assert await passing(f"http://127.0.0.1:{gone.port}/", tmp_path, gone.port) == "fetch_failed"


async def test_a_name_that_does_not_exist_fails_at_once(tmp_path: Path) -> None:
    async def unknown(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    async def away(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    assert await refusal("http://no-such-host.invalid/", tmp_path, resolve=unknown) == "fetch_failed"
    assert await refusal(f"http://{'a' * 70}.example/", tmp_path, resolve=unknown) == "fetch_failed"
    assert await refusal("http://empty.example/", tmp_path, resolve=names(empty_example=[])) == "fetch_failed"
    assert await passing("http://some.example/", tmp_path, resolve=away) == "fetch_failed"


async def test_international_names_are_asked_for_in_their_wire_form(origin: Origin, tmp_path: Path) -> None:
    origin.answers["/"] = page()
    asked: list[str] = []

    async def resolve(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1"]

    await fetch(f"http://bücher.example:{origin.port}/", tmp_path, origin.port, resolve=resolve)
    assert asked == ["xn--bcher-kva.example"]


async def test_tls_goes_by_the_name_though_the_address_is_pinned(tmp_path: Path) -> None:
    server, client = certified(tmp_path, "files.example")
    async with serving(tls=server) as secure:
        secure.answers["/a.txt"] = page()
        resolve = names(files_example="127.0.0.1", other_example="127.0.0.1")
        url = f"https://files.example:{secure.port}/a.txt"
        got, _ = await fetch(url, tmp_path, secure.port, resolve=resolve, trust=client)
        assert got.host == "files.example"
        other = f"https://other.example:{secure.port}/a.txt"
        assert await refusal(other, tmp_path, secure.port, resolve=resolve, trust=client) == "fetch_failed"
        assert await refusal(url, tmp_path, secure.port, resolve=resolve) == "fetch_failed", "unknown authority"


async def test_proxies_of_the_environment_are_not_used(
    origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.answers["/"] = page()
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert (await fetch(f"http://127.0.0.1:{origin.port}/", tmp_path, origin.port))[1] == b"Some text."
