"""WebSockets as uvicorn speaks them, with a bound on clients that do not read."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

COME_AGAIN = 1013
_REASON = "too slow: resume"
_LINGER_SECONDS = 2.0


class SocketProtocol(WebSocketsSansIOProtocol):
    """One WebSocket.

    A client that takes nothing off a full connection for `stall_seconds` is told to come again and resume, and is cut off:
    what waits for it is what the transport holds, and one event of each turn.
    """

    def __init__(self, stall_seconds: float, **server: Any) -> None:
        """`server` is what uvicorn makes its protocols with."""
        super().__init__(**server)
        self._stall_seconds = stall_seconds
        self._stall_timer: asyncio.TimerHandle | None = None

    async def send(self, message: ASGISendEvent) -> None:
        await self.writable.wait()
        if self.close_sent:
            # By this side, while the application was about to say more.
            raise ClientDisconnected()
        await super().send(message)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stall_timer = self.loop.call_later(self._stall_seconds, self._stalled)

    def resume_writing(self) -> None:
        self._stop_stall_timer()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_stall_timer()
        super().connection_lost(exc)

    def _stalled(self) -> None:
        if self.close_sent or self.transport.is_closing():
            self.transport.abort()
            return
        self.stop_keepalive()
        self.queue.put_nowait({"type": "websocket.disconnect", "code": COME_AGAIN, "reason": _REASON})
        self.conn.send_close(COME_AGAIN, _REASON)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.transport.close()
        # Whoever wakes up in this time reads all that was sent, and why it ended.
        self._stall_timer = self.loop.call_later(_LINGER_SECONDS, self.transport.abort)

    def _stop_stall_timer(self) -> None:
        if self._stall_timer:
            self._stall_timer.cancel()
            self._stall_timer = None
