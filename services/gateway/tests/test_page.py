"""The page's files: what is served, what is not, and how long it may be kept."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from services.gateway.tests.gateway_fakes import CONVERSATION
from services.gateway.tests.gateway_rig import Rig, gateway_rig, served
from services.gateway.tests.test_http_problems import assert_problem
from services.gateway.tests.test_http_protocol import connected, until_closed

BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
INDEX = '<!doctype html><div id="root"></div>'
SCRIPT = "/assets/index-B1x2Y3z4.js"


@pytest.fixture
async def page(gateway_template: Path, tmp_path: Path) -> AsyncIterator[Rig]:
    static = tmp_path / "static"
    (static / "assets").mkdir(parents=True)
    (static / "index.html").write_text(INDEX)
    (static / "favicon.svg").write_text("<svg/>")
    (static / SCRIPT[1:]).write_text("export {}")
    (tmp_path / "secret.txt").write_text("secret")
    (static / "link.txt").symlink_to(tmp_path / "secret.txt")
    async with gateway_rig(gateway_template, tmp_path, static_dir=static) as rig:
        yield rig


async def test_the_root_is_the_page_whoever_asks(page: Rig) -> None:
    for headers in (BROWSER, {"accept": "*/*"}):
        answer = await page.http.get("/", headers=headers)
        assert (answer.status_code, answer.text) == (200, INDEX)
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["cache-control"] == "no-cache"
        assert "default-src 'self'" in answer.headers["content-security-policy"]


async def test_a_browser_that_goes_to_a_path_of_the_page_gets_the_page(page: Rig) -> None:
    for path in ("/chat", f"/chat/{CONVERSATION}", "/admin/users?query=%E7%8E%8B", "/assets", "/%00"):
        answer = await page.http.get(path, headers=BROWSER)
        assert (answer.status_code, answer.text) == (200, INDEX)
        assert (answer.headers["cache-control"], answer.headers["vary"]) == ("no-cache", "accept, accept-encoding")
        head = await page.http.head(path, headers=BROWSER)
        assert (head.status_code, head.text, head.headers["content-length"]) == (200, "", str(len(INDEX)))


async def test_what_the_build_named_by_content_is_kept_for_good_and_the_rest_is_asked_for_again(page: Rig) -> None:
    script = await page.http.get(SCRIPT)
    assert script.status_code == 200
    assert script.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert "javascript" in script.headers["content-type"]
    icon = await page.http.get("/favicon.svg")
    assert icon.headers["cache-control"] == "no-cache"
    unchanged = await page.http.get(
        "/chat", headers={**BROWSER, "if-none-match": (await page.http.get("/")).headers["etag"]}
    )
    assert (unchanged.status_code, unchanged.headers["cache-control"]) == (304, "no-cache")


async def test_compressed_copies_go_to_whoever_takes_them(page: Rig, tmp_path: Path) -> None:
    script = tmp_path / "static" / SCRIPT[1:]
    copies = {"br": b"smallest", "gzip": b"smaller"}
    (script.parent / f"{script.name}.br").write_bytes(copies["br"])
    (script.parent / f"{script.name}.gz").write_bytes(copies["gzip"])
    (tmp_path / "static" / "index.html.gz").write_bytes(b"smaller page")

    async def raw(path: str, accepted: str) -> tuple[bytes, httpx.Headers]:
        headers = {"accept": "text/html", "accept-encoding": accepted}
        async with page.http.stream("GET", path, headers=headers) as answer:
            assert answer.status_code == 200
            return b"".join([piece async for piece in answer.aiter_raw()]), answer.headers

    for accepted, coding in {
        "gzip, deflate, br, zstd": "br",
        "gzip;q=1.0, br;q=0": "gzip",
        "GZIP": "gzip",
        "identity": None,
        "br;q=0.0": None,
        "": None,
    }.items():
        body, headers = await raw(SCRIPT, accepted)
        assert (body, headers.get("content-encoding")) == (copies[coding] if coding else b"export {}", coding), accepted
        assert headers["content-length"] == str(len(body))
        assert (headers["vary"], "javascript" in headers["content-type"]) == ("accept-encoding", True)
        assert headers["cache-control"] == "public, max-age=31536000, immutable"
    body, headers = await raw("/chat", "gzip")
    assert (body, headers["content-type"]) == (b"smaller page", "text/html; charset=utf-8")
    # Each form has its own tag: what is kept of one is not taken for the other.
    assert (await raw(SCRIPT, "br"))[1]["etag"] != (await raw(SCRIPT, "gzip"))[1]["etag"]
    assert (await raw("/favicon.svg", "br"))[1].get("content-encoding") is None


@pytest.mark.parametrize("accept", ["*/*", "application/json", "text/htmlish", ""])
async def test_a_program_is_told_that_there_is_nothing(page: Rig, accept: str) -> None:
    for path in ("/missing.js", "/chat", "/assets/gone-B1x2Y3z4.js"):
        assert_problem(await page.http.get(path, headers={"accept": accept}), 404, "unknown_path")


async def test_a_missing_asset_is_missing_for_a_browser_too(page: Rig) -> None:
    assert_problem(await page.http.get("/assets/gone-B1x2Y3z4.js", headers=BROWSER), 404, "unknown_path")


async def test_the_api_never_answers_with_the_page(page: Rig) -> None:
    for path in ("/api", "/api/", "/api/v1/nothing", "/api/v2/chat"):
        assert_problem(await page.http.get(path, headers=BROWSER), 404, "unknown_path")


async def test_the_page_is_only_read(page: Rig) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        assert_problem(await page.http.request(method, "/chat", headers=BROWSER), 404, "unknown_path")


TRAVERSALS = (
    "/../secret.txt",
    "/x/../../secret.txt",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "/assets/..%2f..%2fsecret.txt",
    "/..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
)


@pytest.mark.parametrize("accept", ["text/html", "*/*"])
async def test_nothing_beside_the_pages_folder_is_served(page: Rig, tmp_path: Path, accept: str) -> None:
    leaving = list(TRAVERSALS)
    if accept == "*/*":
        leaving += [f"/{tmp_path}/secret.txt", "//etc/passwd", "/link.txt"]
    async with served(page) as url:
        for path in leaving:
            # By hand: a client would tidy the path up before it sends it.
            async with connected(url) as (reader, writer):
                writer.write(
                    f"GET {path} HTTP/1.1\r\nhost: x\r\naccept: {accept}\r\nconnection: close\r\n\r\n".encode()
                )
                answer = await until_closed(reader)
            assert answer.startswith(b"HTTP/1.1 404 "), path
            assert b'"reason": "unknown_path"' in answer, path


async def test_a_name_that_no_file_system_takes_is_no_fault_of_ours(page: Rig) -> None:
    assert_problem(await page.http.get("/" + "x" * 5000), 404, "unknown_path")


async def test_without_a_page_the_root_says_where_the_api_is(rig: Rig) -> None:
    answer = await rig.http.get("/", headers=BROWSER)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert "/api/v1" in answer.text
    assert_problem(await rig.http.get("/chat", headers=BROWSER), 404, "unknown_path")


async def test_a_page_that_is_built_later_is_served_from_then_on(gateway_template: Path, tmp_path: Path) -> None:
    static = tmp_path / "static"
    async with gateway_rig(gateway_template, tmp_path, static_dir=static) as rig:
        assert "/api/v1" in (await rig.http.get("/")).text
        static.mkdir()
        (static / "index.html").write_text(INDEX)
        assert (await rig.http.get("/")).text == INDEX
