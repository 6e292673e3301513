"""The retrieval test: what is found, how it scored, and why something is not there."""

from __future__ import annotations

from playwright.async_api import expect

from dev.api_client import ApiClient
from tests.e2e.browser import PHONE
from tests.e2e.conftest import Visits
from tests.support.knowledge import MARKDOWN


async def test_a_question_shows_the_passages_and_what_each_channel_found(visits: Visits, reader: ApiClient) -> None:
    async with visits(person=reader) as visit:
        page = visit.page
        await page.goto("/retrieval")
        await expect(page.get_by_role("heading", name="Nothing asked yet")).to_be_visible()
        await page.get_by_label("Question").fill(MARKDOWN.question)
        await page.get_by_label("Question").press("Enter")
        best = page.get_by_role("article", name="Passage 1")
        await expect(best).to_contain_text(MARKDOWN.fact)
        await expect(best.locator("mark").first).to_be_visible()
        for shown in (MARKDOWN.heading, "Vectors", "Keywords", "Similarity", "Fused"):
            await expect(best.get_by_text(shown).first).to_be_visible()
        for channel in ("Vectors", "Keywords"):
            hits = page.get_by_role("region", name=channel)
            await expect(hits.get_by_role("row").nth(1)).to_contain_text("对象存储手册")
            await expect(hits.get_by_text("Passage 1")).to_be_visible()
        await expect(page.get_by_text("Hybrid (vectors and keywords)")).to_be_visible()
        await expect(page.get_by_text("Embed the question")).to_be_visible()
        await page.reload()
        await expect(page.get_by_label("Question")).to_have_value(MARKDOWN.question)
        await expect(best).to_contain_text(MARKDOWN.fact)


async def test_what_is_left_out_is_said_with_its_reason(visits: Visits, person: ApiClient) -> None:
    for city in ("Berlin", "Hamburg", "Munich"):
        text = f"# Hotels in {city}\n\nA hotel night in {city} costs at most 120 euro.\n".encode()
        await person.settled(await person.upload(f"{city}.md", text))
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto("/retrieval?q=What+does+a+hotel+night+cost+in+Berlin%3F&top_k=1")
        await expect(page.get_by_role("article", name="Passage 1")).to_contain_text("120 euro")
        await expect(page.get_by_role("complementary").get_by_text("Beyond the number wanted")).to_be_visible()
        await expect(page.get_by_text("Ask for more to see it.")).to_be_visible()
        outranked = page.get_by_role("region", name="Vectors").get_by_text("Beyond the number wanted").first
        await outranked.focus()
        await expect(page.get_by_role("tooltip").filter(has_text="Ask for more to see it.")).to_be_visible()


async def test_every_candidate_shows_what_placed_it_and_why_it_was_not_taken(visits: Visits, person: ApiClient) -> None:
    for city in ("Berlin", "Hamburg", "Munich"):
        text = f"# Hotels in {city}\n\nA hotel night in {city} costs at most 120 euro.\n".encode()
        await person.settled(await person.upload(f"{city}.md", text))
    asked = {"question": "What does a hotel night cost in Berlin?", "top_k": 1}
    found = (await person.http.post("/retrieval/preview", json=asked)).json()
    async with visits(person=person) as visit:
        page = visit.page
        await page.goto("/retrieval?q=What+does+a+hotel+night+cost+in+Berlin%3F&top_k=1")
        await expect(page.get_by_role("heading", name=f"Candidates ({len(found['candidates'])})")).to_be_visible()
        rows = page.get_by_role("region", name="Candidates", exact=True).get_by_role("row")
        best, second = rows.nth(1), rows.nth(2)
        await expect(best.get_by_role("link")).to_have_text(found["candidates"][0]["title"])
        for shown in ("Vectors", "Keywords", f"{_figures(found['candidates'][0]['fused'])} in all"):
            await expect(best.get_by_role("listitem").filter(has_text=shown)).to_be_visible()
        await expect(best.get_by_text("Passage 1")).to_be_visible()
        await expect(second.get_by_text("Beyond the number wanted")).to_be_visible()
        sum_of_best = best.get_by_text("How it adds up")
        await sum_of_best.press("Enter")
        await expect(best.get_by_text("Question · Vectors")).to_be_visible()
        await expect(best.get_by_text("rank 1, raw score").first).to_be_visible()
        await expect(best.get_by_role("blockquote")).to_contain_text("120 euro")
        assert await visit.accessibility_faults() == []
        working = page.get_by_role("complementary")
        await expect(working.get_by_text("similarity at least")).to_be_visible()
        await expect(working.get_by_text("Reranking")).to_be_visible()


async def test_another_way_of_writing_a_question_is_shown_as_its_own_form(visits: Visits, reader: ApiClient) -> None:
    async with visits(person=reader) as visit:
        page = visit.page
        await page.goto("/retrieval?q=物件儲存的控制台在哪個連接埠？")
        forms = page.get_by_role("complementary").get_by_text("Normalised: ")
        await expect(forms.first).to_be_visible()


async def test_filters_narrow_the_search_and_an_unknown_domain_is_named(visits: Visits, reader: ApiClient) -> None:
    async with visits(person=reader) as visit:
        page = visit.page
        await page.goto(f"/retrieval?q={MARKDOWN.question}")
        await expect(page.get_by_role("article", name="Passage 1")).to_be_visible()
        await page.get_by_role("button", name="More filters").click()
        await page.get_by_label("Tags").fill("no-such-tag")
        await page.get_by_label("Tags").press("Enter")
        await page.get_by_role("button", name="Search").click()
        await expect(page.get_by_role("heading", name="No passage to answer from")).to_be_visible()
        await expect(page.get_by_text("Nothing matches at all.")).to_be_visible()
        await page.goto(f"/retrieval?q={MARKDOWN.question}&domain=nowhere")
        await expect(page.get_by_text("These domains do not exist or are not yours to read: nowhere")).to_be_visible()


async def test_a_question_is_needed(visits: Visits, reader: ApiClient) -> None:
    async with visits(person=reader) as visit:
        await visit.page.goto("/retrieval")
        await visit.page.get_by_role("button", name="Search").click()
        await expect(visit.page.get_by_text("Please type a question.")).to_be_visible()


async def test_a_document_leads_to_a_search_in_it_alone(visits: Visits, reader: ApiClient) -> None:
    async with visits(person=reader) as visit:
        page = visit.page
        await page.goto("/documents")
        await page.get_by_role("row").get_by_role("link", name="对象存储手册").click()
        await page.get_by_role("link", name="Test retrieval").click()
        await expect(page.get_by_text("More filters (1)")).to_be_visible()
        await expect(page.get_by_role("main").get_by_text("对象存储手册")).to_be_visible()
        await page.get_by_label("Question").fill(MARKDOWN.question)
        await page.get_by_label("Question").press("Enter")
        await expect(page.get_by_role("article", name="Passage 1")).to_contain_text(MARKDOWN.fact)


async def test_everybody_can_use_the_retrieval_test(visits: Visits, reader: ApiClient) -> None:
    async with visits(person=reader) as visit:
        page = visit.page
        await page.goto("/retrieval?tag=anything")
        await expect(page.get_by_role("heading", name="Nothing asked yet")).to_be_visible()
        assert await visit.accessibility_faults_in_both_themes() == []
        await page.goto(f"/retrieval?q={MARKDOWN.question}")
        await expect(page.get_by_role("article", name="Passage 1")).to_be_visible()
        assert await visit.accessibility_faults_in_both_themes() == []


async def test_a_phone_shows_it_in_chinese_without_scrolling_sideways(visits: Visits, reader: ApiClient) -> None:
    async with visits(person=reader, size=PHONE, locale="zh-CN") as visit:
        page = visit.page
        await page.goto(f"/retrieval?q={MARKDOWN.question}")
        await expect(page.get_by_role("article", name="采用为段落 1")).to_contain_text(MARKDOWN.fact)
        await expect(page.get_by_text("混合检索（向量 + 关键词）")).to_be_visible()
        assert await visit.sideways_pixels() == 0
        assert await visit.accessibility_faults() == []


def _figures(value: float) -> str:
    """As the page writes it, to three significant digits and without zeros at the end."""
    return f"{float(f'{value:.3g}'):g}"
