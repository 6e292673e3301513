import { describe, expect, it } from "vitest";
import { grown, NO_SEGMENTS } from "./segments";

const PARAGRAPHS = Array.from(
  { length: 400 },
  (_, i) => `Paragraph ${i} says something that takes a while to say.`,
).join("\n\n");

function whole(text: string): string[] {
  const { settled, tail } = grown(NO_SEGMENTS, text);
  return [...settled, tail];
}

/** The same text in pieces of pseudo-random sizes. */
function piecewise(text: string, seed: number): string[] {
  let segments = NO_SEGMENTS;
  let random = seed;
  for (let end = 0; end < text.length; ) {
    random = (random * 1103515245 + 12345) % 2 ** 31;
    end = Math.min(text.length, end + 1 + (random % 700));
    segments = grown(segments, text.slice(0, end));
  }
  return [...segments.settled, segments.tail];
}

describe("segments of a growing answer", () => {
  it("lose and double nothing outside code", () => {
    expect(whole(PARAGRAPHS).join("")).toBe(PARAGRAPHS);
    expect(whole(PARAGRAPHS).length).toBeGreaterThan(5);
  });

  it("are the same in whatever pieces the text arrives", () => {
    const code = `${PARAGRAPHS}\n\n\`\`\`py\n${"line = 1\n".repeat(4000)}\`\`\`\n\n${PARAGRAPHS}`;
    for (const seed of [1, 7, 99]) expect(piecewise(code, seed)).toEqual(whole(code));
  });

  it("keep those already settled as the same objects", () => {
    const first = grown(NO_SEGMENTS, PARAGRAPHS);
    const second = grown(first, `${PARAGRAPHS} more`);
    expect(second.settled).toBe(first.settled);
  });

  it("never cut a code block at its empty lines", () => {
    const code = `\`\`\`\n${"a\n\n".repeat(1000)}\`\`\`\n`;
    expect(whole(code)).toEqual([code]);
  });

  it("go on with a code block that is too long for one segment", () => {
    const lines = Array.from({ length: 3000 }, (_, i) => `line_${i} = ${i}`);
    const segments = whole(`~~~~js\n${lines.join("\n")}\n~~~~\n`);
    expect(segments.length).toBeGreaterThan(2);
    for (const segment of segments) expect(segment).toMatch(/^~~~~js\n[\s\S]*\n~~~~\n?$/);
    expect(
      segments
        .join("\n")
        .split("\n")
        .filter((line) => line.startsWith("line_")),
    ).toEqual(lines);
  });

  it("bound a line without any break, and never split a character", () => {
    const line = "😀".repeat(30_000);
    const segments = whole(line);
    expect(segments.join("")).toBe(line);
    expect(Math.max(...segments.map((segment) => segment.length))).toBeLessThanOrEqual(16_000);
    for (const segment of segments) expect(segment).not.toMatch(/[\uD800-\uDBFF]$/);
  });

  it("do not end inside a formula", () => {
    const formula = `$$\n${"x\n\n".repeat(600)}$$\n\n${PARAGRAPHS}`;
    expect(whole(formula)[0]).toContain("$$\n\n");
    expect(whole(formula)[0]?.match(/\$\$/g)).toHaveLength(2);
  });

  it("read five megabytes in far less time than they take to arrive", () => {
    const text = PARAGRAPHS.repeat(Math.ceil(5_000_000 / PARAGRAPHS.length));
    let segments = NO_SEGMENTS;
    const began = performance.now();
    for (let end = 0; end <= text.length; end += 2_000) segments = grown(segments, text.slice(0, end));
    expect(performance.now() - began).toBeLessThan(30_000);
  });
});
