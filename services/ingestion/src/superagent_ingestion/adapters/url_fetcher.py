"""Fetches documents over HTTP from wherever a person says, but never from where only we can reach.

Names are resolved here, every address is checked, and the connection goes to a checked one: no second look-up could give
another. Each redirect is a new address. No proxies, no cookies, no credentials, no trace of ours.
"""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx
from opentelemetry.trace import SpanKind

from superagent_common.errors import InvalidInput, Unavailable
from superagent_common.telemetry import Telemetry
from superagent_ingestion.domain.fetching import Fetched, FetchRefused, Network, checked_url, fetched_name, is_open

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Addresses of a host; raises OSError (socket.gaierror) when there are none."""

_HEADERS = {"User-Agent": "SuperAgent document import", "Accept": "*/*", "Accept-Encoding": "identity"}
_TIMEOUTS = {"connect": 10.0, "read": 30.0, "write": 10.0, "pool": 10.0}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# The server is there and may answer otherwise in a while.
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_PIECE_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Networks that are allowed besides the public internet, ports, and how much of everything one document may take."""

    networks: Sequence[Network]
    ports: frozenset[int]
    most_bytes: int
    seconds: float
    redirects: int


class HttpUrlFetcher:
    """`UrlFetcher` over HTTP/1.1."""

    def __init__(
        self,
        limits: FetchLimits,
        telemetry: Telemetry,
        resolve: Resolve | None = None,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        """`trust` tells which certificates are good, `resolve` which addresses a name has; the system's by default."""
        self._limits = limits
        self._telemetry = telemetry
        self._resolve = resolve or _system_resolve
        self._trust = trust

    async def fetch(self, url: str, path: Path) -> Fetched:
        try:
            async with asyncio.timeout(self._limits.seconds):
                return await self._follow(url, path)
        except TimeoutError:
            raise FetchRefused(
                "fetch_timeout", f"Fetching the address took longer than {self._limits.seconds:g} seconds."
            ) from None
        except httpx.TimeoutException:
            raise Unavailable("fetch_timeout", "The server behind the address does not answer.") from None
        except (httpx.HTTPError, httpx.StreamError) as error:
            if _is_untrusted(error):
                raise FetchRefused("fetch_failed", "The server's certificate is not trusted.") from None
            raise Unavailable("fetch_failed", "The connection to the server broke off or was refused.") from None

    async def _follow(self, url: str, path: Path) -> Fetched:
        for redirects in range(self._limits.redirects + 1):
            async with AsyncExitStack() as stack:
                target = self._target(url)
                response = await self._ask(target, stack)
                if response.status_code not in _REDIRECTS or "location" not in response.headers:
                    return await self._take(response, target, redirects, path)
                try:
                    url = str(target.join(response.headers["location"]))
                except httpx.InvalidURL:
                    raise FetchRefused("fetch_failed", "The server sends on to something that is no address.") from None
        raise FetchRefused("fetch_redirects", f"The server sent on more than {self._limits.redirects} times.")

    def _target(self, url: str) -> httpx.URL:
        try:
            target = httpx.URL(checked_url(url))
        except InvalidInput as error:
            raise FetchRefused("fetch_forbidden_address", f"The address is not fetched: {error.message}") from None
        except httpx.InvalidURL:
            raise FetchRefused("fetch_failed", "This is not an address.") from None
        if target.scheme not in ("http", "https") or not target.raw_host:
            raise FetchRefused("fetch_forbidden_address", "Only http and https addresses are fetched.")
        if (port := _port(target)) not in self._limits.ports:
            raise FetchRefused("fetch_forbidden_address", f"Nothing is fetched from port {port}.")
        return target

    async def _ask(self, target: httpx.URL, stack: AsyncExitStack) -> httpx.Response:
        """The answer's head; its body and the connection live as long as the stack."""
        host = target.raw_host.decode()
        attributes = {"http.request.method": "GET", "server.address": host}
        with self._telemetry.span("fetch url", SpanKind.CLIENT, attributes) as span:
            addresses = await self._checked_addresses(host, _port(target))
            # One connection each: kept ones are found by address, and another host may share it.
            transport = httpx.AsyncHTTPTransport(
                verify=self._trusted(), trust_env=False, limits=httpx.Limits(max_keepalive_connections=0)
            )
            await stack.enter_async_context(transport)
            for last, address in zip([False] * (len(addresses) - 1) + [True], addresses, strict=True):
                request = httpx.Request("GET", target, headers=_HEADERS)  # sets Host by the name
                request.url = target.copy_with(host=address, fragment=None)
                request.extensions = {"timeout": _TIMEOUTS, "sni_hostname": host}
                try:
                    response = await transport.handle_async_request(request)
                except (httpx.ConnectError, httpx.ConnectTimeout):
                    if last:
                        raise
                else:
                    break
            stack.push_async_callback(response.aclose)
            span.set_attribute("http.response.status_code", response.status_code)
            return response

    async def _checked_addresses(self, host: str, port: int) -> Sequence[str]:
        try:
            addresses = [written] if (written := _written(host)) else await self._resolve(host, port)
        except (socket.gaierror, UnicodeError) as error:
            if getattr(error, "errno", None) == socket.EAI_AGAIN:
                raise Unavailable("fetch_failed", f"The address of {host} cannot be found out now.") from None
            raise FetchRefused("fetch_failed", f"There is no server of the name {host}.") from None
        if not addresses:
            raise FetchRefused("fetch_failed", f"There is no server of the name {host}.")
        if not all(is_open(address, self._limits.networks) for address in addresses):
            raise FetchRefused("fetch_forbidden_address", f"{host} is not on the public internet.")
        return addresses

    async def _take(self, response: httpx.Response, target: httpx.URL, redirects: int, path: Path) -> Fetched:
        status, host = response.status_code, target.host
        if status in _PASSING:
            raise Unavailable("fetch_status", f"{host} answers with an error: status {status}.")
        if status != 200:
            raise FetchRefused("fetch_status", f"{host} does not give the document: status {status}.")
        announced = response.headers.get("content-length", "")
        if announced.isdecimal() and int(announced) > self._limits.most_bytes:
            raise self._too_large()
        digest, size = hashlib.sha256(), 0
        with await asyncio.to_thread(path.open, "wb") as file:
            async for piece in _decoded(response):
                size += len(piece)
                # What is compressed may also be nothing, without end.
                if max(size, response.num_bytes_downloaded) > self._limits.most_bytes:
                    raise self._too_large()
                digest.update(piece)
                file.write(piece)
        name = fetched_name(
            str(target), response.headers.get("content-disposition", ""), response.headers.get("content-type", "")
        )
        return Fetched(name, size, digest.hexdigest(), host, redirects)

    def _too_large(self) -> FetchRefused:
        return FetchRefused("fetch_too_large", f"More than {self._limits.most_bytes >> 20} MiB are not fetched.")

    def _trusted(self) -> ssl.SSLContext:
        if self._trust is None:
            # Reads SSL_CERT_FILE as well: a company's own authority.
            self._trust = httpx.create_ssl_context()
        return self._trust


def _written(host: str) -> str:
    """The address that a host itself is, in whatever spelling (`2130706433`, `0x7f.1`); "" for a name."""
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        pass
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        return ""


async def _system_resolve(host: str, port: int) -> Sequence[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def _port(url: httpx.URL) -> int:
    return url.port or (443 if url.scheme == "https" else 80)


async def _decoded(response: httpx.Response) -> AsyncIterator[bytes]:
    """The body in pieces of at most 256 KiB, also when a server compresses unasked: a few bytes may stand for gigabytes."""
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding in ("", "identity"):
        async for piece in response.aiter_raw():
            yield piece
        return
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise FetchRefused("fetch_failed", "The server sends the document in an unknown encoding.")
    unpacking = _Unpacking()
    async for packed in response.aiter_raw():
        for piece in unpacking.pieces(packed):
            yield piece
    if not unpacking.is_whole:
        raise Unavailable("fetch_failed", "The document broke off.")


class _Unpacking:
    """A gzip or zlib stream, which may consist of several, one behind the other."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(zlib.MAX_WBITS | 32)

    @property
    def is_whole(self) -> bool:
        return self._stream.eof

    def pieces(self, packed: bytes) -> Iterator[bytes]:
        try:
            while packed:
                if self._stream.eof:
                    self._stream = zlib.decompressobj(zlib.MAX_WBITS | 32)
                yield self._stream.decompress(packed, _PIECE_BYTES)
                packed = self._stream.unconsumed_tail or self._stream.unused_data
        except zlib.error:
            raise FetchRefused("fetch_failed", "What the server sends is damaged.") from None


def _is_untrusted(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return True
        error = error.__cause__ or error.__context__
    return False
