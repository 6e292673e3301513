"""The web page's files, and its index where the page's own router knows the path."""

from __future__ import annotations

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

_INDEX = "index.html"
# The build names them by their content.
_ASSETS = "/assets/"
_FOR_GOOD = "public, max-age=31536000, immutable"
_ASK_AGAIN = "no-cache"


class Page:
    """What answers where no route does. Without a built page the root says where the API is.

    Raises HTTPException for what is no file, and for everything under /api.
    """

    def __init__(self, static_dir: Path | None, where_the_api_is: str) -> None:
        """`static_dir` may be empty or missing: it is looked at with each request."""
        self._files = StaticFiles(directory=static_dir, check_dir=False) if static_dir else None
        self._where_the_api_is = where_the_api_is

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_read = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if not is_read or f"{scope['path']}/".startswith("/api/"):
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
                index.headers["vary"] = "accept"
                return index
        if path == "/":
            return PlainTextResponse(self._where_the_api_is)
        raise HTTPException(404)


async def _file(files: StaticFiles, name: str, scope: Scope) -> Response | None:
    try:
        return await files.get_response(name, scope)
    except HTTPException:
        return None


def _wants_html(scope: Scope) -> bool:
    """Whether a browser is going somewhere; scripts, styles and programs ask for anything."""
    accepted = Request(scope).headers.get("accept", "").lower()
    return any(kind.partition(";")[0].strip() == "text/html" for kind in accepted.split(","))
