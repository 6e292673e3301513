from __future__ import annotations

from superagent_ingestion.adapters.parsing.html import html_blocks


def _seen(html: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in html_blocks(html)[0]]


def test_nothing_after_an_unclosed_cell_is_lost() -> None:
    assert _seen("<table><tr><td>1</td><td>2</td></tr><tr><td>3<td>4</table>after<br>the table<p>more") == [
        ("table", "| 1 | 2 |\n| --- | --- |\n| 3 | 4 |"),
        ("paragraph", "after\nthe table"),
        ("paragraph", "more"),
    ]


def test_a_cell_over_several_rows_is_repeated_and_over_several_columns_is_not() -> None:
    html = "<table><tr><th>year<th colspan=2>sales<tr><td rowspan=2>2026<td>Q1<td>5<tr><td>Q2<td>6</table>"
    assert _seen(html) == [("table", "| year | sales |  |\n| --- | --- | --- |\n| 2026 | Q1 | 5 |\n| 2026 | Q2 | 6 |")]


def test_a_table_that_only_places_things_becomes_what_is_in_it() -> None:
    html = "<table><tr><td>menu<td><h1>Title</h1><p>text</p><table><tr><td>a<td>b<tr><td>c<td>d</table>end</table>tail"
    assert _seen(html) == [
        ("paragraph", "menu"),
        ("heading", "Title"),
        ("paragraph", "text"),
        ("table", "| a | b |\n| --- | --- |\n| c | d |"),
        ("paragraph", "end"),
        ("paragraph", "tail"),
    ]


def test_a_heading_in_a_header_cell_leaves_the_table_whole() -> None:
    html = "<table><tr><th><h3>City</h3><th><h3>Limit</h3>per night<tr><td>Rome<td>480</table>"
    assert _seen(html) == [("table", "| City | Limit per night |\n| --- | --- |\n| Rome | 480 |")]


def test_navigation_and_long_lists_of_links_are_left_out_of_an_article() -> None:
    links = "".join(f"<li><a href=x>language {n}</a>" for n in range(20))
    html = f"<nav>Home About</nav><h1>Title</h1><ul>{links}</ul><p>{'text ' * 100}</p><footer>imprint</footer>"
    assert [kind for kind, _ in _seen(html)] == ["heading", "paragraph"]


def test_a_page_that_is_a_list_of_links_keeps_them() -> None:
    html = "<ul>" + "".join(f"<li><a href=x>policy number {n}</a>" for n in range(12)) + "</ul>"
    ((kind, text),) = _seen(html)
    assert kind == "list"
    assert text.count("\n") == 11


def test_an_unclosed_navigation_does_not_swallow_the_page() -> None:
    assert ("paragraph", "the text") in _seen("<div><nav><a href=x>Home</a><div><p>the text</p></div>")


def test_scripts_styles_and_hidden_parts_are_no_text() -> None:
    html = "<style>p{}</style><p>seen<script>var x = '<p>no</p>'</script></p><p hidden>no</p><p style='display: none'>no</p>"
    assert _seen(html + "<p>" + "filler " * 40)[0] == ("paragraph", "seen")
    assert all(text != "no" for _, text in _seen(html + "<p>" + "filler " * 40))


def test_line_breaks_of_the_source_are_none_of_the_text() -> None:
    assert _seen("<p>two\n  words\n<p>两个\n句子<br>换行") == [
        ("paragraph", "two words"),
        ("paragraph", "两个句子\n换行"),
    ]


def test_code_keeps_its_lines() -> None:
    assert _seen("<pre>\ndef f():\n    return 1\n</pre>") == [("code", "def f():\n    return 1")]


def test_the_title_is_that_of_the_head_or_the_first_heading() -> None:
    assert html_blocks("<title>A &amp;\n B</title><h1>C</h1>")[1] == "A & B"
    assert html_blocks("<h1>C</h1>")[1] == "C"


def test_a_very_deep_page_is_read() -> None:
    assert _seen("<div>" * 50_000 + "deep") == [("paragraph", "deep")]
