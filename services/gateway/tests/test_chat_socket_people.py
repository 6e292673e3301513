"""Whose a WebSocket is: tokens in the first message, expired, wrong, another's; and how it ends."""

from __future__ import annotations

import asyncio
import json

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from services.gateway.tests.gateway_fakes import TURN, a_turn
from services.gateway.tests.gateway_rig import ANNA, ROOT, Feed, Rig
from services.gateway.tests.socket_steps import ended, joined, said, say
from services.gateway.tests.test_http_accounts import bearer, logged_in
from services.gateway.tests.test_http_administration import changed


async def test_a_browser_says_who_it_is_in_its_first_message(rig: Rig, address: str) -> None:
    rig.orchestrator.events[TURN] = a_turn("a")
    async with joined(address) as socket:
        await say(socket, "chat.send", message="hi")
        await say(socket, "auth", token="nonsense")
        await say(socket, "auth", token=rig.token(), request_id="a")
        await say(socket, "chat.send", message="hi")
        early, wrong, ready, started = await said(socket, 4)
        # A connection is one person's for good; the same person may bring a newer token.
        await said(socket, 3)
        await say(socket, "auth", token=rig.token(ROOT))
        await say(socket, "auth", token=rig.token())
        other, again = await said(socket, 2)
    assert [message["reason"] for message in (early, wrong, other)] == [
        "token_missing",
        "token_invalid",
        "another_person",
    ]
    assert (ready["type"], ready["request_id"], started["type"], again["type"]) == ("ready", "a", "started", "ready")
    assert {identity and identity.principal for identity in rig.orchestrator.identities} == {ANNA}


@pytest.mark.parametrize("speaks", [False, True])
async def test_who_never_says_who_they_are_is_sent_away(rig: Rig, address: str, speaks: bool) -> None:
    rig.sockets.auth_seconds = 0.3
    async with joined(address) as socket:
        while speaks:
            try:
                await say(socket, "ping")
                await socket.recv()
                await asyncio.sleep(0.02)
            except ConnectionClosed:
                break
        assert await ended(socket) == (4401, "token_missing")


async def test_a_wrong_token_in_the_handshake_is_a_problem_and_no_connection(rig: Rig, address: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        async with joined(address, {"authorization": "Bearer nonsense"}):
            pass
    assert refused.value.response.status_code == 401
    assert json.loads(refused.value.response.body or b"")["reason"] == "token_invalid"


async def test_a_token_in_the_url_is_none(rig: Rig, address: str) -> None:
    url = f"{address.replace('http', 'ws')}/api/v1/ws?token={rig.token()}&access_token={rig.token()}"
    async with connect(url, proxy=None) as socket:
        await say(socket, "chat.send", message="hi")
        assert (await said(socket, 1))[0]["reason"] == "token_missing"


@pytest.mark.parametrize("path", ["/", "/api/v1/chat", "/api/v1/wsx"])
async def test_there_is_no_other_socket(rig: Rig, address: str, path: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        async with connect(address.replace("http", "ws") + path, proxy=None):
            pass
    assert refused.value.response.status_code == 403


async def test_an_expired_token_watches_on_but_asks_for_nothing_until_it_is_renewed(rig: Rig, address: str) -> None:
    feed = Feed(rig)
    async with joined(address, rig.as_()) as socket:
        await say(socket, "chat.send", message="hi")
        await said(socket, 2)
        rig.clock.at += 4000
        feed.waiting.put_nowait(a_turn("a")[0])
        assert (await said(socket, 1))[0]["type"] == "accepted"
        await say(socket, "chat.send", message="hi")
        await say(socket, "auth", token=rig.token())
        await say(socket, "chat.resume", turn_id=TURN, after=1)
        expired, ready = await said(socket, 2)
    assert (expired["status"], expired["reason"], ready["type"]) == (401, "token_expired", "ready")


@pytest.mark.parametrize("speaks", [False, True], ids=["a quiet stream", "a stream that goes on"])
async def test_a_ban_ends_the_sockets_of_whom_it_strikes(rig: Rig, address: str, speaks: bool) -> None:
    session = await logged_in(rig)
    feed = Feed(rig)
    async with joined(address, bearer(session)) as socket:
        await say(socket, "chat.send", message="hi")
        await said(socket, 2)
        assert (await changed(rig, session["user"]["id"], banned=True)).status_code == 200
        if speaks:
            for event in a_turn(*"abcdef"):
                feed.waiting.put_nowait(event)
        assert await ended(socket) == (4401, "token_revoked")
    async with asyncio.timeout(120):
        await feed.left.wait()
