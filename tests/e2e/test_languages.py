"""Chinese and English: as the browser says, until the person says otherwise."""

from __future__ import annotations

from playwright.async_api import expect

from dev.api_client import ApiClient
from tests.e2e.conftest import Visits


async def test_a_chinese_browser_sees_chinese_and_every_other_english(visits: Visits) -> None:
    for locale, heading, language in (
        ("zh-CN", "登录", "zh-CN"),
        ("zh-TW", "登录", "zh-CN"),
        ("de-DE", "Log in", "en"),
    ):
        async with visits(locale=locale) as visit:
            await visit.page.goto("/login")
            await expect(visit.page.get_by_role("heading", level=1)).to_have_text(heading)
            assert await visit.page.evaluate("document.documentElement.lang") == language


async def test_the_language_is_switched_at_once_and_kept(visits: Visits, person: ApiClient) -> None:
    async with visits(locale="en-GB", person=person) as visit:
        page = visit.page
        await page.goto("/documents")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Documents")
        await page.get_by_role("button", name=person.user["username"]).click()
        await page.get_by_role("menuitem", name="中文").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("文档")
        await expect(page).to_have_title("文档 · Super Agent")
        await page.reload()
        await expect(page.get_by_role("heading", level=1)).to_have_text("文档")


async def test_a_failure_is_told_in_the_language_of_the_page(visits: Visits) -> None:
    async with visits(locale="zh-CN") as visit:
        visit.expected_statuses = {401}
        page = visit.page
        await page.goto("/login")
        await page.get_by_label("用户名").fill("nobody-at-all")
        await page.get_by_label("密码").fill("not-the-password")
        await page.get_by_label("密码").press("Enter")
        await expect(page.get_by_role("alert")).to_contain_text("用户名或密码不正确")


async def test_the_theme_follows_the_system_until_one_is_chosen(visits: Visits, person: ApiClient) -> None:
    async with visits(theme="dark", person=person) as visit:
        page = visit.page
        await page.goto("/documents")
        root = page.locator("html")
        await expect(root).to_have_attribute("data-theme", "dark")
        await page.emulate_media(color_scheme="light")
        await expect(root).to_have_attribute("data-theme", "light")
        await page.get_by_role("button", name=person.user["username"]).click()
        await page.get_by_role("menuitem", name="Dark").click()
        await expect(root).to_have_attribute("data-theme", "dark")
        await page.reload()
        await expect(root).to_have_attribute("data-theme", "dark")
