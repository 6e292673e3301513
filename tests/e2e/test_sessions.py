"""Logging in, and what happens when a session does not last."""

from __future__ import annotations

import json
import re
import secrets
from typing import Any

from playwright.async_api import Page, expect

from dev.api_client import ApiClient
from dev.fleet import Fleet
from tests.conftest import People
from tests.e2e.browser import SESSION_KEY, session_of
from tests.e2e.conftest import Visits

PASSWORD = "a-fine-password"


async def fill_in(page: Page, username: str, password: str) -> None:
    await page.get_by_label("Username").fill(username)
    await page.get_by_label("Password", exact=True).fill(password)
    await page.get_by_label("Password", exact=True).press("Enter")


async def kept_session(page: Page) -> dict[str, Any] | None:
    raw = await page.evaluate("key => localStorage.getItem(key)", SESSION_KEY)
    return json.loads(raw) if raw else None


async def renewed(page: Page, old: str) -> dict[str, Any]:
    """Waits until the page keeps another access token than `old`; gives the session with it."""
    changed = "([key, old]) => JSON.parse(localStorage.getItem(key)).accessToken !== old"
    await page.wait_for_function(changed, arg=[SESSION_KEY, old])
    session = await kept_session(page)
    assert session
    return session


async def test_a_wrong_password_is_answered_in_words_and_the_right_one_lets_in(
    visits: Visits, fleet_with_model: Fleet
) -> None:
    username = f"anna-{secrets.token_hex(4)}"
    async with ApiClient(fleet_with_model.base_url) as client:
        await client.sign_up(username, PASSWORD)
    async with visits() as visit:
        visit.expected_statuses = {401}
        page = visit.page
        await page.goto("/login")
        await fill_in(page, username, "not-the-password")
        await expect(page.get_by_role("alert")).to_contain_text("The username or the password is wrong.")
        assert await kept_session(page) is None
        await fill_in(page, username, PASSWORD)
        await page.wait_for_url("**/chat")
        await expect(page.get_by_role("button", name=username)).to_be_visible()


async def test_registration_says_what_is_wrong_before_it_is_sent(visits: Visits, anybody: ApiClient) -> None:
    async with visits() as visit:
        visit.expected_statuses = {409}
        page = visit.page
        await page.goto("/register")
        await page.get_by_label("Username").fill(anybody.user["username"])
        await page.get_by_label("Password", exact=True).fill("short")
        await page.get_by_label("Password again").fill("other")
        await page.get_by_role("button", name="Create account").click()
        # Said to those who hear the page, too.
        await expect(page.get_by_label("Password", exact=True)).to_have_accessible_description(re.compile("At least 8"))
        await expect(page.get_by_label("Password again")).to_have_accessible_description("The two passwords differ")
        for label in ("Password", "Password again"):
            await page.get_by_label(label, exact=True).fill(PASSWORD)
        await page.get_by_role("button", name="Create account").click()
        await expect(page.get_by_text("This username is taken.")).to_be_visible()


async def test_who_is_not_logged_in_logs_in_and_goes_on_where_the_address_led(
    visits: Visits, fleet_with_model: Fleet
) -> None:
    username = f"mei-{secrets.token_hex(4)}"
    async with ApiClient(fleet_with_model.base_url) as client:
        await client.sign_up(username, PASSWORD)
    async with visits() as visit:
        page = visit.page
        await page.goto("/documents?query=leave")
        await page.wait_for_url("**/login?next=*")
        await fill_in(page, username, PASSWORD)
        await page.wait_for_url("**/documents?query=leave")


async def test_the_log_in_page_leads_to_no_other_address(visits: Visits, person: ApiClient) -> None:
    async with visits(person=person) as visit:
        for elsewhere in ("https://example.com/", "//example.com/", "/\\example.com"):
            await visit.page.goto(f"/login?next={elsewhere}")
            await visit.page.wait_for_url("**/chat")


async def test_an_access_token_that_is_refused_is_renewed_unseen(visits: Visits, person: ApiClient) -> None:
    session = session_of(person)
    damaged = session["accessToken"][:-8] + "AAAAAAAA"
    async with visits(session={**session, "accessToken": damaged}) as visit:
        visit.expected_statuses = {401}
        page = visit.page
        await page.goto("/documents")
        assert (await renewed(page, damaged))["refreshToken"] != session["refreshToken"]
        await expect(page.get_by_role("heading", name="No documents yet")).to_be_visible()
        await expect(page.get_by_role("alert")).to_have_count(0)


async def test_an_old_access_token_is_renewed_before_it_is_used(visits: Visits, person: ApiClient) -> None:
    session = session_of(person)
    async with visits(session={**session, "expiresAt": 0}) as visit:
        await visit.page.goto("/turns")
        await renewed(visit.page, session["accessToken"])


async def test_a_session_that_ended_leads_to_the_log_in_page_with_words_and_back(
    visits: Visits, fleet_with_model: Fleet
) -> None:
    username = f"ola-{secrets.token_hex(4)}"
    async with ApiClient(fleet_with_model.base_url) as client:
        await client.sign_up(username, PASSWORD)
        async with visits(person=client) as visit:
            visit.expected_statuses = {401}
            page, other = visit.page, await visit.another_tab()
            await other.goto("/documents")
            await expect(other.get_by_role("heading", name="No documents yet")).to_be_visible()
            # Without a refresh token in it, a log-out ends all sessions of the person; the page may hear of it at once.
            (await client.http.post("/auth/logout", json={})).raise_for_status()
            await page.goto("/turns")
            await page.wait_for_url("**/login?next=%2Fturns")
            for tab in (page, other):
                await tab.wait_for_url("**/login?next=*")
                await expect(tab.get_by_role("alert")).to_contain_text("Your session has ended. Please log in again.")
            await page.reload()
            await expect(page.get_by_role("alert")).to_contain_text("Your session has ended. Please log in again.")
            await fill_in(page, username, PASSWORD)
            await page.wait_for_url("**/turns")


async def test_logging_out_in_one_tab_ends_the_session_in_the_other(visits: Visits, person: ApiClient) -> None:
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto("/documents")
        other = await visit.another_tab()
        await other.goto("/turns")
        # What either tab asked just before is refused.
        visit.expected_statuses = {401}
        await page.get_by_role("button", name=person.user["username"]).click()
        await page.get_by_role("menuitem", name="Log out").click()
        for tab in (page, other):
            await tab.wait_for_url("**/login*")
            assert await kept_session(tab) is None
    answer = await person.http.post("/auth/refresh", json={"refresh_token": person.session["refresh_token"]})
    assert answer.status_code == 401


async def test_what_one_person_saw_is_not_shown_to_the_next(visits: Visits, people: People) -> None:
    first, second = await people(), await people()
    await first.http.post("/conversations", json={"title": "Salaries of the board"})
    async with visits(person=first) as visit:
        page = visit.page
        await page.goto("/chat")
        await expect(page.get_by_text("Salaries of the board")).to_be_visible()
        await page.evaluate(
            """([key, value]) => {
              localStorage.setItem(key, value);
              window.dispatchEvent(new StorageEvent("storage", { key }));
            }""",
            [SESSION_KEY, json.dumps(session_of(second))],
        )
        await expect(page.get_by_role("button", name=second.user["username"])).to_be_visible()
        await expect(page.get_by_text("Salaries of the board")).to_have_count(0)


async def test_somebody_who_is_banned_is_led_out_and_told_why_on_the_way_in(
    visits: Visits, fleet_with_model: Fleet, administrator: ApiClient
) -> None:
    username = f"ivo-{secrets.token_hex(4)}"
    async with ApiClient(fleet_with_model.base_url) as client:
        await client.sign_up(username, PASSWORD)
        async with visits(session={**session_of(client), "expiresAt": 0}) as visit:
            visit.expected_statuses = {401, 403}
            page = visit.page
            ban = await administrator.http.patch(f"/admin/users/{client.user['id']}", json={"banned": True})
            ban.raise_for_status()
            await page.goto("/turns")
            await page.wait_for_url("**/login*")
            await fill_in(page, username, PASSWORD)
            await expect(page.get_by_role("alert")).to_contain_text("This account is banned.")
