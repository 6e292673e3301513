"""What the page says and allows before anything else: its policy, its addresses, and whether a model is there."""

from __future__ import annotations

from playwright.async_api import expect

from dev.api_client import ApiClient
from tests.e2e.conftest import Visits


async def test_the_policy_lets_no_foreign_or_written_in_script_run(visits: Visits) -> None:
    async with visits() as visit:
        answer = await visit.page.goto("/login")
        assert answer
        policy = {
            name: set(sources)
            for name, *sources in (part.split() for part in answer.headers["content-security-policy"].split(";"))
        }
        # Checksums of uploads are computed in WebAssembly, which may be compiled; text may not become script.
        assert policy["script-src"] == {"'self'", "'wasm-unsafe-eval'"}
        assert policy["default-src"] == {"'self'"}
        assert policy["object-src"] == policy["frame-ancestors"] == policy["base-uri"] == {"'none'"}
        assert not any(source == "'unsafe-eval'" or "*" in source for sources in policy.values() for source in sources)


async def test_a_script_that_was_written_into_the_page_does_not_run(visits: Visits) -> None:
    async with visits() as visit:
        await visit.page.goto("/login")
        visit.expected_errors = {"Content Security Policy"}
        async with visit.page.expect_console_message(lambda said: "Content Security Policy" in said.text):
            await visit.page.evaluate(
                """() => {
                  const script = document.createElement("script");
                  script.textContent = "window.ran = true";
                  document.body.append(script);
                }"""
            )
        assert await visit.page.evaluate("window.ran === undefined")


async def test_an_unknown_address_is_answered_in_words(visits: Visits, person: ApiClient) -> None:
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto("/no/such/page")
        await expect(page.get_by_role("heading", name="There is no such page")).to_be_visible()
        await page.get_by_role("main").get_by_role("link", name="Back to chat").click()
        await page.wait_for_url("**/chat")


async def test_with_a_model_there_is_no_banner(visits: Visits, person: ApiClient) -> None:
    async with visits(person=person) as visit:
        async with visit.page.expect_response("**/api/v1/about"):
            await visit.page.goto("/chat")
        await expect(visit.page.get_by_role("main")).to_be_visible()
        await expect(visit.page.get_by_text("No language model is configured")).to_have_count(0)
