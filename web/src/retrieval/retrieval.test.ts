import { describe, expect, it } from "vitest";
import type { Schemas } from "@/api/client";
import { askedOf, bodyOf, filterCount, parametersOf } from "./asking";
import { type Candidate, contributions, methodOf, summands } from "./candidates";
import { stretches } from "./highlighting";
import { byChannel, DROP_REASONS, fateOf, type Hit, spansOf } from "./hits";
import { retrievalStrings } from "./strings";

type Child = Schemas["EvidenceChild"];

const WHOLE = "Alpha one. 住宿标准😀是六百元。Omega two.";

function child(text: string, score = 0.9): Child {
  const start = [...WHOLE.slice(0, WHOLE.indexOf(text))].length;
  return { chunk_id: text, text, offsets: [start, start + [...text].length], score };
}

function marked(text: string, cut: boolean, children: Child[]): string {
  return stretches({ text, cut, children })
    .map((stretch) => (stretch.best ? `[[${stretch.text}]]` : stretch.matched ? `[${stretch.text}]` : stretch.text))
    .join("");
}

describe("highlighting", () => {
  it("marks the children by their offsets, which count characters, not UTF-16 units", () => {
    expect(marked(WHOLE, false, [child("Omega two."), child("Alpha one.")])).toBe(
      "[Alpha one.] 住宿标准😀是六百元。[[Omega two.]]",
    );
  });

  it("lets the best child win where children overlap", () => {
    expect(marked(WHOLE, false, [child("是六百元。Omega"), child("六百元。Omega two.")])).toBe(
      "Alpha one. 住宿标准😀[[是六百元。Omega]][ two.]",
    );
  });

  it("finds where a cut text begins", () => {
    expect(marked("…住宿标准😀是六百元。…", true, [child("是六百元。")])).toBe("…住宿标准😀[[是六百元。]]…");
  });

  it("marks what is left of a child that was cut", () => {
    expect(marked("…标准😀是六百元。Omega two.", true, [child("住宿标准😀是六百元。Omega two.")])).toBe(
      "…[[标准😀是六百元。Omega two.]]",
    );
    expect(marked("Alpha one. 住宿…", true, [child(WHOLE)])).toBe("[[Alpha one. 住宿]]…");
  });

  it("marks nothing rather than something wrong", () => {
    expect(marked("…quite another text…", true, [child("Omega two.")])).toBe("…quite another text…");
    expect(marked("", false, [])).toBe("");
  });

  it("never loses or doubles text", () => {
    const children = [child("是六百元。Omega"), child("Alpha one.")];
    expect(
      stretches({ text: WHOLE, cut: false, children })
        .map((stretch) => stretch.text)
        .join(""),
    ).toBe(WHOLE);
  });
});

describe("hits", () => {
  const hit = (channel: string, rank: number, more: Partial<Hit> = {}): Hit => ({
    channel,
    rank,
    variant: 0,
    parent_id: `${channel}-${rank}`,
    score: 1,
    title: "T",
    dropped: "",
    document_id: "d",
    heading_path: [],
    text: "",
    ...more,
  });
  const candidates = [
    { parent_id: "vector-1", citation_id: 1, dropped: "" },
    { parent_id: "vector-2", dropped: "over_top_k" },
  ] as Candidate[];

  it("are shown or left out for their candidate's reason or their own", () => {
    expect(fateOf(hit("vector", 1), candidates)).toEqual({ kind: "shown", citation: 1 });
    expect(fateOf(hit("vector", 2), candidates)).toEqual({ kind: "dropped", reason: "over_top_k" });
    expect(fateOf(hit("vector", 1, { dropped: "below_floor" }), candidates)).toEqual({
      kind: "dropped",
      reason: "below_floor",
    });
    expect(fateOf(hit("vector", 3), candidates)).toEqual({ kind: "dropped", reason: "only_hinted" });
  });

  it("stand by channel, in the order of their ranks", () => {
    const channels = byChannel([hit("vector", 2), hit("keyword", 1), hit("vector", 1)]);
    expect(channels.map(([name, found]) => [name, found.map(({ rank }) => rank)])).toEqual([
      ["vector", [1, 2]],
      ["keyword", [1]],
    ]);
  });
});

describe("timings", () => {
  const unused = { outline_ms: 0, rerank_ms: 0 };

  it("show the channels beside each other and the rest behind them", () => {
    const { spans, total } = spansOf({ ...unused, embed_ms: 10, vector_ms: 5, keyword_ms: 4, own_ms: 3, total_ms: 20 });
    expect(total).toBe(20);
    expect(spans).toEqual([
      { name: "embed", lane: 0, from: 0, to: 10 },
      { name: "vector", lane: 0, from: 10, to: 15 },
      { name: "keyword", lane: 1, from: 0, to: 4 },
      { name: "own", lane: 2, from: 17, to: 20 },
    ]);
  });

  it("have no bar for a channel that did not run", () => {
    const { spans } = spansOf({ ...unused, embed_ms: 0, vector_ms: 0, keyword_ms: 4, own_ms: 1, total_ms: 5 });
    expect(spans.map(({ name }) => name)).toEqual(["keyword", "own"]);
  });
});

describe("timings of everything", () => {
  it("show headings beside the channels and reranking before the end", () => {
    const all = { embed_ms: 10, vector_ms: 5, keyword_ms: 4, outline_ms: 6, rerank_ms: 30, own_ms: 3, total_ms: 50 };
    const { spans } = spansOf(all);
    expect(spans.slice(3)).toEqual([
      { name: "outline", lane: 2, from: 0, to: 6 },
      { name: "rerank", lane: 3, from: 17, to: 47 },
      { name: "own", lane: 3, from: 47, to: 50 },
    ]);
  });
});

describe("candidates", () => {
  const part = (list: string, channel: string, value: number, share: number | null = 0.5) => ({
    list,
    channel,
    value,
    share,
    rank: 1,
    score: value,
    weight: 1,
  });
  const made = (parts: Candidate["parts"], bonuses: Candidate["bonuses"] = []) => ({ parts, bonuses }) as Candidate;

  it("of one list are the sum of its channels and bonuses", () => {
    const candidate = made(
      [part("question", "vector", 0.5), part("question", "keyword", 0.25), part("question", "", 0.75, null)],
      [
        { name: "heading", value: 0.05 },
        { name: "all_words", value: 0.05 },
      ],
    );
    expect(contributions(candidate)).toEqual([
      { source: "vector", value: 0.5 },
      { source: "keyword", value: 0.25 },
      { source: "bonus", value: 0.1 },
    ]);
    expect(methodOf([candidate], "weighted")).toBe("weighted");
    expect(methodOf([candidate], "reciprocal_rank")).toBe("ranks");
    expect(summands(candidate.parts, false).map(({ channel }) => channel)).toEqual(["vector", "keyword"]);
  });

  it("of several lists share what each list adds among its channels", () => {
    const candidate = made([
      part("question", "vector", 0.6),
      part("question", "keyword", 0.2),
      part("question", "", 0.016, null),
      part("hints", "vector", 0),
      part("hints", "keyword", 0),
      part("hints", "", 0.002, null),
      part("outline", "outline", 0.016, null),
      part("outline", "", 0.016, null),
    ]);
    const found = Object.fromEntries(contributions(candidate).map(({ source, value }) => [source, value]));
    expect(found.vector).toBeCloseTo(0.013);
    expect(found.keyword).toBeCloseTo(0.005);
    expect(found.outline).toBeCloseTo(0.016);
    expect(methodOf([candidate], "weighted")).toBe("lists");
    expect(summands(candidate.parts, true)).toHaveLength(8);
  });
});

describe("what is asked", () => {
  const asked = {
    question: "差旅 & 住宿?",
    domains: ["hr", "legal"],
    topK: 12,
    documents: ["d"],
    tags: ["a b"],
    languages: ["zh"],
    categories: [],
    historyHint: "酒店",
    hintWords: ["标准", "限额"],
  };

  it("survives the address", () => {
    expect(askedOf(new URLSearchParams(parametersOf(asked).toString()))).toEqual(asked);
  });

  it("falls back to five passages for what is no count", () => {
    for (const topK of ["0", "51", "x", "2.5"]) expect(askedOf(new URLSearchParams(`top_k=${topK}`)).topK).toBe(5);
  });

  it("becomes the request's body", () => {
    expect(bodyOf(asked)).toMatchObject({ question: "差旅 & 住宿?", domains: ["hr", "legal"], top_k: 12 });
    expect(bodyOf(asked)).toMatchObject({ history_hint: "酒店", hint_words: ["标准", "限额"] });
    expect(filterCount(asked)).toBe(5);
  });
});

it.each(["zh", "en"] as const)("every reason for leaving something out has words in %s", (language) => {
  const t = retrievalStrings[language];
  for (const reason of DROP_REASONS) {
    expect(t.reasons(reason)).not.toBe(reason);
    expect(t.reasonTexts(reason)).not.toBe("");
  }
});
