import { describe, expect, it } from "vitest";
import type { Document } from "../following";
import { answersOf, changesOf } from "./changes";

const document = { title: "Leave", tags: ["hr", "2026"], org_tag: "company", is_public: false } as unknown as Document;

describe("changes of a document", () => {
  it("are none when nothing was changed", () => {
    expect(changesOf(document, answersOf(document))).toBeNull();
    expect(changesOf(document, { ...answersOf(document), title: " Leave ", tags: ["hr", "2026", " "] })).toBeNull();
  });

  it("are only what was changed", () => {
    expect(changesOf(document, { ...answersOf(document), title: "Holidays" })).toEqual({ title: "Holidays" });
    expect(changesOf(document, { ...answersOf(document), tags: [] })).toEqual({ tags: [] });
    expect(changesOf(document, { ...answersOf(document), tags: ["hr", "hr", " new "] })).toEqual({
      tags: ["hr", "new"],
    });
  });

  it("give the title back to the document when it is emptied", () => {
    expect(changesOf(document, { ...answersOf(document), title: "  " })).toEqual({ title: "" });
  });

  it.each([
    ["me", { org_tag: "", is_public: false }],
    ["everybody", { org_tag: "", is_public: true }],
    ["tag:engineering", { org_tag: "engineering", is_public: false }],
  ])("of who may read it say all of it: %s", (readers, changes) => {
    expect(changesOf(document, { ...answersOf(document), readers })).toEqual(changes);
  });
});
