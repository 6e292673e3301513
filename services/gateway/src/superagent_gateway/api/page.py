"""The web page's files, and its index where the page's own router knows the path."""

from __future__ import annotations

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocketClose

_INDEX = "index.html"
# The build names them by their content.
_ASSETS = "/assets/"
_FOR_GOOD = "public, max-age=31536000, immutable"
_ASK_AGAIN = "no-cache"
# The build puts compressed copies beside its files; smallest first.
_CODINGS = (("br", ".br"), ("gzip", ".gz"))


class Page:
    """What answers where no route does. Without a built page the root says where the API is.

    Raises HTTPException for what is no file, and for everything under /api and /v1.
    """

    def __init__(self, static_dir: Path | None, where_the_api_is: str) -> None:
        """`static_dir` may be empty or missing: it is looked at with each request."""
        self._files = StaticFiles(directory=static_dir, check_dir=False) if static_dir else None
        self._where_the_api_is = where_the_api_is

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await WebSocketClose()(scope, receive, send)
            return
        is_read = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if not is_read or f"{scope['path']}/".startswith(("/api/", "/v1/")):
            raise HTTPException(404)
        await (await self._answer(scope))(scope, receive, send)

    async def _answer(self, scope: Scope) -> Response:
        path: str = scope["path"]
        if self._files:
            name = self._files.get_path(scope)
            if answer := await _file(self._files, name, scope):
                answer.headers["cache-control"] = _FOR_GOOD if path.startswith(_ASSETS) else _ASK_AGAIN
                return answer
            is_ours = not name.startswith("..") and not path.startswith(_ASSETS)
            if is_ours and (path == "/" or _wants_html(scope)) and (index := await _file(self._files, _INDEX, scope)):
                index.headers["cache-control"] = _ASK_AGAIN
                index.headers["vary"] = "accept, accept-encoding"
                return index
        if path == "/":
            return PlainTextResponse(self._where_the_api_is)
        raise HTTPException(404)


async def _file(files: StaticFiles, name: str, scope: Scope) -> Response | None:
    """A file, or its compressed copy for who takes that; None when there is none."""
    accepted = _accepted(scope, "accept-encoding")
    for coding, ending in _CODINGS:
        if coding in accepted and (answer := await _as_it_is(files, name + ending, scope)):
            if answer.status_code != 304:
                answer.headers["content-encoding"] = coding
            break
    else:
        answer = await _as_it_is(files, name, scope)
    if answer:
        answer.headers["vary"] = "accept-encoding"
    return answer


async def _as_it_is(files: StaticFiles, name: str, scope: Scope) -> Response | None:
    try:
        return await files.get_response(name, scope)
    except HTTPException:
        return None


def _wants_html(scope: Scope) -> bool:
    """Whether a browser is going somewhere; scripts, styles and programs ask for anything."""
    return "text/html" in _accepted(scope, "accept")


def _accepted(scope: Scope, header: str) -> set[str]:
    """What a request names in a header of preferences, without what it refuses (`;q=0`)."""
    choices = (choice.partition(";") for choice in Request(scope).headers.get(header, "").lower().split(","))
    return {name.strip() for name, _, weight in choices if weight.replace(" ", "") not in ("q=0", "q=0.0")}
