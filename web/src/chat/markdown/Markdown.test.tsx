import { cleanup, render } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { Markdown } from "./Markdown";

afterEach(cleanup);

function shown(text: string): HTMLElement {
  return render(<Markdown text={text} citation={(id) => (id < 3 ? <button type="button">{id}</button> : null)} />)
    .container;
}

describe("an answer's Markdown", () => {
  it("shows raw HTML as text", () => {
    const attack =
      '<script>alert(1)</script>\n\n<img src=x onerror="alert(1)">\n\nA <b onclick="x()">b</b> <iframe src="//evil"></iframe>';
    const box = shown(attack);
    expect(box.querySelector("script, img, iframe, b")).toBeNull();
    expect(box.textContent).toContain("<script>alert(1)</script>");
    expect(box.textContent).toContain('<img src=x onerror="alert(1)">');
  });

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java&#115;cript:alert(1)",
    "&#x6A;avascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "/chat/../api",
    "//evil.example",
  ])("does not link to %s", (address) => {
    const box = shown(`[click](${address}) <${address}> ![pixel](${address})`);
    expect(box.querySelector("a")).toBeNull();
    expect(box.textContent).toContain("click");
  });

  it("links to the web and to mail, in a window that learns nothing", () => {
    const box = shown("[one](https://example.com/a) and mailto:a@example.com <mailto:b@example.com>");
    const [first] = box.querySelectorAll("a");
    expect(first?.getAttribute("href")).toBe("https://example.com/a");
    expect(first?.rel).toContain("noopener");
    expect(first?.target).toBe("_blank");
  });

  it("never loads an image", () => {
    const box = shown(
      "![a cat](https://example.com/cat.png)\n\n[![badge](https://b.example/x.svg)](https://example.com)",
    );
    expect(box.querySelector("img, picture, object, embed")).toBeNull();
    expect(box.textContent).toContain("[a cat]");
  });

  it("makes citations of numbers in brackets, wherever they stand", () => {
    const box = shown(
      "One[1][2] **two[1]**\n\n- three[2]\n\n| a |\n|---|\n| four[1] |\n\nnot [9], not `[1]`, not [1](https://example.com)",
    );
    expect(box.querySelectorAll("button")).toHaveLength(5);
    expect(box.textContent).toContain("not [9]");
  });

  it.each([
    ["so [1](see chapter 3).", "so 1(see chapter 3)."],
    ["so [1](handbook.md) and [2](#here)", "so 1(handbook.md) and 2(#here)"],
    ["As [1]: it is so", "As 1: it is so"],
    ["[1]: handbook.md\n[2]: https://example.com", "1: handbook.md\n2: https://example.com"],
  ])("takes what stands behind a citation for words, not for a link: %s", (text, expected) => {
    const box = shown(text);
    expect(box.querySelectorAll("button").length).toBe(text.match(/\[/g)?.length);
    expect(box.textContent).toBe(expected);
  });

  it("shows tables, tasks, code and lists that start anywhere", () => {
    const box = shown(
      "| a | b |\n|--|:-:|\n| 1 | 2 |\n\n- [x] done\n\n3. three\n4. four\n\n```js\nlet x = 1 < 2;\n```",
    );
    expect(box.querySelectorAll("td")).toHaveLength(2);
    expect(box.querySelector("li.task")?.textContent).toBe("☑ done");
    expect(box.querySelector("ol")?.getAttribute("start")).toBe("3");
    expect(box.querySelector("pre")?.textContent).toContain("let x = 1 < 2;");
  });

  it.each([
    ["from $365 \\times 2$ a year", "365 \\times 2"],
    ["so $5 x_1$ and $6 each", "5 x_1"],
    ["between $5 and $10 a night", null],
    ["$1,000 now, $2,000 later", null],
  ])("tells a formula that begins with a number from a price: %s", (text, formula) => {
    const box = shown(text);
    expect(box.querySelector("p span")?.textContent ?? null).toBe(formula);
  });

  it("takes dollars for money unless they enclose a formula", () => {
    const box = shown("It costs $5 and $10, or US$ 3. But $a+b$ is a sum and \\(c\\) too.\n\n$$\nd\n$$");
    expect(box.textContent).toContain("It costs $5 and $10, or US$ 3.");
    expect([...box.querySelectorAll("p span")].map((span) => span.textContent)).toEqual(["a+b", "c"]);
    expect(box.querySelector(".formula-display")?.textContent).toBe("d");
  });

  it("shows character references as characters, once", () => {
    expect(shown("a &amp; b &lt;i&gt; &#39; &amp;lt;").textContent).toBe("a & b <i> ' &lt;");
  });

  it.each([
    ["quotes", `${">".repeat(3_000)} end`],
    ["quotes over quotes", `${">".repeat(15_000)} end`],
    ["lists", `${"- ".repeat(7_000)}end`],
    ["emphasis", `${"**_".repeat(2_000)}end${"_**".repeat(2_000)}`],
  ])("survives %s in each other, and nests no deeper than is drawn safely", (_, text) => {
    const box = shown(text);
    expect(box.textContent).toContain("end");
    let depth = 0;
    for (let element = box.firstElementChild; element; element = element.lastElementChild) depth++;
    expect(depth).toBeLessThan(200);
  });
});
