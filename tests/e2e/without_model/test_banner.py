"""What the page says of an installation without a model."""

from __future__ import annotations

from playwright.async_api import expect

from dev.api_client import ApiClient
from tests.e2e.conftest import Visits


async def test_without_a_model_a_banner_says_so_until_it_is_dismissed(
    visits_without_model: Visits, person_without_model: ApiClient
) -> None:
    async with visits_without_model(person=person_without_model) as visit:
        page = visit.page
        await page.goto("/chat")
        banner = page.get_by_role("status").filter(has_text="No language model is configured")
        await expect(banner).to_contain_text("LLM_MODEL")
        await banner.get_by_role("button", name="Got it").click()
        await expect(banner).to_have_count(0)
        await page.goto("/documents")
        await expect(page.get_by_role("heading", level=1, name="Documents")).to_be_visible()
        await expect(banner).to_have_count(0)
