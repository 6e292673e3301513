"""What administrators do in the page, and that nobody else does it."""

from __future__ import annotations

import re
import secrets
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Locator, Page, Route, expect

from dev.api_client import ApiClient
from tests.conftest import People
from tests.e2e.browser import PHONE, said_in_passing
from tests.e2e.conftest import Visits
from tests.support.knowledge import MARKDOWN


@pytest.fixture
async def org_tag(administrator: ApiClient) -> AsyncIterator[str]:
    """The code of an org tag of this test's own, whose name is the code in capitals."""
    code = f"unit-{secrets.token_hex(4)}"
    answer = await administrator.http.post("/admin/org-tags", json={"code": code, "name": code.upper()})
    answer.raise_for_status()
    yield code


async def choose(page: Page, opener: str, entry: str) -> None:
    """Opens the menu that is called `opener` and takes an entry of it."""
    await page.get_by_role("button", name=opener, exact=True).click()
    await page.get_by_role("menuitem", name=entry).click()


async def confirm(page: Page, question: str, button: str) -> None:
    dialog = page.get_by_role("dialog").filter(has_text=question)
    await dialog.get_by_role("button", name=button).click()
    await expect(dialog).to_have_count(0)


async def find_person(page: Page, person: ApiClient) -> Locator:
    """Types the name into the search and gives the person's row."""
    await page.goto("/admin/users")
    await page.get_by_label("Find by username").fill(person.user["username"])
    await expect(page.get_by_role("row")).to_have_count(2)
    return page.get_by_role("row").filter(has_text=person.user["username"])


async def test_others_are_told_that_a_page_is_for_administrators_and_led_back(
    visits: Visits, person: ApiClient
) -> None:
    async with visits(person=person) as visit:
        page = visit.page
        for screen in ("users", "org-tags", "domains", "dead-letters"):
            await page.goto(f"/admin/{screen}")
            await expect(page.get_by_text("This page is for administrators only.")).to_be_visible()
        await expect(page.get_by_role("link", name="Users")).to_have_count(0)
        await page.get_by_role("main").get_by_role("link", name="Back to chat").click()
        await page.wait_for_url("**/chat")


async def test_a_role_that_was_taken_meanwhile_is_refused_in_words(
    visits: Visits, people: People, administrator: ApiClient
) -> None:
    person = await people()
    change = f"/admin/users/{person.user['id']}"
    (await administrator.http.patch(change, json={"roles": ["user", "admin"]})).raise_for_status()
    person.user["roles"] = ["user", "admin"]
    async with visits(person=person) as visit:
        (await administrator.http.patch(change, json={"roles": ["user"]})).raise_for_status()
        visit.expected_statuses = {401, 403}
        await visit.page.goto("/admin/users")
        words = re.compile("for administrators only|Only administrators")
        await expect(visit.page.get_by_text(words).first).to_be_visible()


async def test_a_person_is_found_and_gets_org_tags(
    visits: Visits, administrator: ApiClient, person: ApiClient, org_tag: str
) -> None:
    async with visits(person=administrator) as visit:
        page = visit.page
        row = await find_person(page, person)
        await choose(page, f"Actions for {person.user['username']}", "Set org tags")
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Org tags").fill(org_tag)
        await page.locator(".ant-select-tree-title").filter(has_text=org_tag.upper()).click()
        await dialog.get_by_label("Org tags").press("Escape")
        assert await visit.accessibility_faults() == []
        await dialog.get_by_role("button", name="Save").click()
        await expect(row).to_contain_text(org_tag.upper())
        await expect(dialog).to_have_count(0)
    (found,) = (await administrator.http.get("/admin/users", params={"query": person.user["username"]})).json()["users"]
    assert found["org_tags"] == [org_tag]


async def test_a_banned_person_is_out_until_the_ban_is_lifted(
    visits: Visits, administrator: ApiClient, person: ApiClient
) -> None:
    name = person.user["username"]
    async with visits(person=administrator) as visit:
        page = visit.page
        row = await find_person(page, person)
        await choose(page, f"Actions for {name}", "Ban")
        await confirm(page, f"Ban {name}?", "Cancel")
        await expect(row).to_contain_text("Active")
        await choose(page, f"Actions for {name}", "Ban")
        await confirm(page, f"Ban {name}?", "Ban")
        await expect(row).to_contain_text("Banned")
        refused = await person.http.post("/auth/refresh", json={"refresh_token": person.session["refresh_token"]})
        assert refused.json()["reason"] == "banned"
        await choose(page, f"Actions for {name}", "Lift the ban")
        await confirm(page, "Lift the ban", "Lift the ban")
        await expect(row).to_contain_text("Active")


async def test_an_administrator_is_made_and_unmade_but_not_by_himself(
    visits: Visits, administrator: ApiClient, person: ApiClient
) -> None:
    name = person.user["username"]
    async with visits(person=administrator) as visit:
        page = visit.page
        row = await find_person(page, person)
        await choose(page, f"Actions for {name}", "Make administrator")
        await confirm(page, f"Make {name} an administrator?", "Make administrator")
        await expect(row).to_contain_text("Administrator")
        await choose(page, f"Actions for {name}", "Take administrator role")
        await confirm(page, f"from {name}?", "Take administrator role")
        await expect(row).to_contain_text("Member")

        own = administrator.user["username"]
        await page.get_by_label("Find by username").fill(own)
        await page.get_by_role("button", name=f"Actions for {own}", exact=True).click()
        await expect(page.get_by_text("You cannot change your own rights.")).to_be_visible()
        await expect(page.get_by_role("menuitem", name="Ban")).to_be_disabled()


async def test_the_list_of_people_goes_on_where_its_page_ended(visits: Visits, administrator: ApiClient) -> None:
    async def two_at_a_time(route: Route) -> None:
        await route.continue_(url=route.request.url.replace("limit=50", "limit=2"))

    async with visits(person=administrator, size=PHONE) as visit:
        page = visit.page
        await page.route("**/api/v1/admin/users?*", two_at_a_time)
        await page.goto("/admin/users")
        people = page.get_by_role("main").get_by_role("listitem")
        await expect(people).to_have_count(2)
        await page.get_by_role("button", name="Load more").click()
        await expect(people).to_have_count(4)
        names = await people.get_by_role("strong").all_inner_texts()
        assert len(set(names)) == 4


async def test_a_search_without_result_offers_everybody(visits: Visits, administrator: ApiClient) -> None:
    async with visits(person=administrator) as visit:
        page = visit.page
        await page.goto("/admin/users")
        await page.get_by_label("Find by username").fill("nobody is called like this")
        await expect(page.get_by_role("heading", name="Nobody found")).to_be_visible()
        await page.get_by_role("button", name="Show everybody").click()
        await expect(page.get_by_role("row").nth(1)).to_be_visible()


async def test_the_org_tree_is_shaped_with_the_keyboard_alone(
    visits: Visits, administrator: ApiClient, org_tag: str
) -> None:
    name = org_tag.upper()
    async with visits(person=administrator) as visit:
        page = visit.page
        await page.goto("/admin/org-tags")
        tree = page.get_by_role("list", name="Tree of org tags")
        await page.get_by_role("button", name=f"New tag below {name}").press("Enter")
        field = page.get_by_role("textbox", name="Name")
        await field.fill(f"{org_tag} Platform & Tools")
        await expect(page.get_by_label("Code")).to_have_value(f"{org_tag}-platform-tools")
        await field.press("Enter")
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(tree.get_by_text(f"{org_tag} Platform & Tools")).to_be_visible()

        await page.get_by_role("button", name=f"Actions for {org_tag} Platform & Tools").press("Enter")
        entry = page.get_by_role("menuitem", name="Rename")
        await expect(entry).to_be_focused()
        await entry.press("Enter")
        await field.fill(f"{org_tag} Base")
        await field.press("Enter")
        await expect(tree.get_by_text(f"{org_tag} Base")).to_be_visible()

        await page.get_by_role("button", name=f"Collapse {name}").press("Enter")
        await expect(tree.get_by_text(f"{org_tag} Base")).to_have_count(0)


async def test_a_tag_is_moved_and_deleted_once_nobody_uses_it(
    visits: Visits, administrator: ApiClient, person: ApiClient, org_tag: str
) -> None:
    name, child = org_tag.upper(), f"{org_tag}-child"
    body = {"code": child, "name": child.upper(), "parent_code": org_tag}
    (await administrator.http.post("/admin/org-tags", json=body)).raise_for_status()
    tags = f"/admin/users/{person.user['id']}/org-tags"
    (await administrator.http.put(tags, json={"org_tags": [org_tag]})).raise_for_status()
    async with visits(person=administrator) as visit:
        visit.expected_statuses = {409}
        page = visit.page
        await page.goto("/admin/org-tags")
        await choose(page, f"Actions for {name}", "Delete")
        async with said_in_passing(page, "One person still has this tag."):
            await confirm(page, f"Delete {name}?", "Delete")
        (await administrator.http.put(tags, json={"org_tags": []})).raise_for_status()
        await choose(page, f"Actions for {name}", "Delete")
        async with said_in_passing(page, "One tag still lies below it."):
            await confirm(page, f"Delete {name}?", "Delete")

        await choose(page, f"Actions for {child.upper()}", "Move")
        await page.get_by_role("dialog").locator(".ant-select-clear").click()
        await page.get_by_role("dialog").get_by_role("button", name="Save").click()
        await expect(page.get_by_role("button", name=f"Collapse {name}")).to_have_count(0)
        await choose(page, f"Actions for {name}", "Delete")
        await confirm(page, f"Delete {name}?", "Delete")
        await expect(page.get_by_text(name, exact=True)).to_have_count(0)
    codes = {tag["code"]: tag for tag in (await administrator.http.get("/admin/org-tags")).json()["org_tags"]}
    assert org_tag not in codes
    assert codes[child]["parent_code"] is None


async def test_a_taken_code_is_said_in_the_dialog_and_nothing_typed_is_lost(
    visits: Visits, administrator: ApiClient, org_tag: str
) -> None:
    async with visits(person=administrator) as visit:
        visit.expected_statuses = {409}
        page = visit.page
        await page.goto("/admin/org-tags")
        await page.get_by_role("button", name="New tag", exact=True).click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_role("textbox", name="Name").fill("Another")
        await dialog.get_by_label("Code").fill(org_tag)
        await dialog.get_by_role("button", name="Save").click()
        await expect(dialog.get_by_role("alert")).to_contain_text("This org tag exists already.")
        await expect(dialog.get_by_role("textbox", name="Name")).to_have_value("Another")


async def test_a_domain_is_described_changed_and_forgotten(
    visits: Visits, administrator: ApiClient, org_tag: str
) -> None:
    code = f"law-{secrets.token_hex(4)}"
    document_id = await administrator.upload(f"{code}.md", MARKDOWN.content + code.encode(), domain_code=code)
    assert (await administrator.settled(document_id))["state"] == "READY"
    async with visits(person=administrator) as visit:
        page = visit.page
        await page.goto("/admin/domains")
        found = page.get_by_role("listitem").filter(has_text=code)
        await expect(found).to_contain_text("1 document")
        await found.get_by_role("button", name="Describe it").click()
        dialog = page.get_by_role("dialog")
        await expect(dialog.get_by_label("Code")).to_have_value(code)
        await expect(dialog.get_by_label("Code")).to_be_disabled()
        await dialog.get_by_role("textbox", name="Name").fill(f"Legal {code}")
        await dialog.get_by_label("Description").fill("Contracts with suppliers and customers.")
        await dialog.get_by_label("Owner org tag").fill(org_tag)
        await page.locator(".ant-select-tree-title").filter(has_text=org_tag.upper()).click()
        assert await visit.accessibility_faults() == []
        await dialog.get_by_role("button", name="Save").click()
        await expect(dialog).to_have_count(0)
        card = page.get_by_role("listitem").filter(has_text=f"Legal {code}")
        await expect(card).to_contain_text("Contracts with suppliers and customers.")
        await expect(card).to_contain_text(org_tag.upper())

        await card.get_by_role("button", name=f"Edit Legal {code}").click()
        await dialog.get_by_label("Description").fill("")
        await dialog.get_by_role("button", name="Save").click()
        await expect(card).to_contain_text("No description yet")

        await card.get_by_role("button", name=f"Delete: Legal {code}").click()
        await confirm(page, f"Delete the domain Legal {code}?", "Delete")
        await expect(page.get_by_role("button", name="Describe it").nth(0)).to_be_visible()
        await expect(card).to_have_count(0)
    kept = {domain["code"] for domain in (await administrator.http.get("/admin/domains")).json()["domains"]}
    assert code not in kept
