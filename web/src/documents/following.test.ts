import { describe, expect, it } from "vitest";
import { filtersOf, parametersOf } from "./filters";
import { type Document, pollPause, settledMeanwhile, withChanges } from "./following";

function document(id: string, state: Document["state"], createdAt = "2026-11-30T01:00:00Z"): Document {
  return { id, state, created_at: createdAt } as Document;
}

describe("following", () => {
  it("looks at those by themselves that are no more among the unfinished", () => {
    const shown = [
      document("a", "PARSING"),
      document("b", "INDEXING"),
      document("c", "READY"),
      document("d", "DELETING"),
    ];
    const unfinished = { documents: [document("b", "INDEXING")], next_cursor: null };
    expect(settledMeanwhile(shown, unfinished)).toEqual(["a"]);
  });

  it("does not take those for settled that may stand on the next page", () => {
    const shown = [
      document("new", "PARSING", "2026-11-30T03:00:00Z"),
      document("old", "UPLOADED", "2026-11-30T01:00:00Z"),
    ];
    const unfinished = { documents: [document("b", "INDEXING", "2026-11-30T02:00:00Z")], next_cursor: "more" };
    expect(settledMeanwhile(shown, unfinished)).toEqual(["new"]);
  });

  it("changes what changed, drops what is gone, and keeps order and cursor", () => {
    const pages = [
      { documents: [document("a", "PARSING"), document("b", "PARSING"), document("c", "READY")], next_cursor: "x" },
    ];
    const after = withChanges(pages, new Map([["a", document("a", "READY")]]), new Set(["b"]));
    expect(after).toEqual([{ documents: [document("a", "READY"), document("c", "READY")], next_cursor: "x" }]);
  });

  it("never shows a document as alive again while it is being deleted", () => {
    const pages = [{ documents: [document("a", "DELETING")], next_cursor: null }];
    const after = withChanges(pages, new Map([["a", document("a", "INDEXING")]]), new Set());
    expect(after[0]?.documents[0]?.state).toBe("DELETING");
  });

  it("looks less often when nobody sees it or the server does not answer", () => {
    expect(pollPause(false, false)).toBe(1500);
    expect(pollPause(false, true)).toBeGreaterThan(1500);
    expect(pollPause(true, false)).toBeGreaterThan(1500);
  });
});

describe("filters", () => {
  it("survive the address", () => {
    const filters = { group: "failed", query: "差旅 a&b", domain: "hr" } as const;
    expect(filtersOf(new URLSearchParams(parametersOf(filters).toString()))).toEqual(filters);
  });

  it("are none for an address that says nothing sensible", () => {
    expect(filtersOf(new URLSearchParams("state=nonsense"))).toEqual({ group: "all", query: "", domain: "" });
  });
});
