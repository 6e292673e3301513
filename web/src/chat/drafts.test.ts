import { beforeEach, describe, expect, it, vi } from "vitest";
import { Drafts } from "./drafts";

describe("what is typed and not asked yet", () => {
  let drafts: Drafts;
  const loadedAgain = () => new Drafts(sessionStorage);

  beforeEach(() => {
    sessionStorage.clear();
    drafts = loadedAgain();
  });

  it("outlives a reload, each conversation's for itself", () => {
    drafts.keep("c1", "How long?");
    drafts.keep("", "Why?");
    expect([loadedAgain().of("c1"), loadedAgain().of(""), loadedAgain().of("c2")]).toEqual(["How long?", "Why?", ""]);
  });

  it("is given back when the page is left before the question was accepted", () => {
    drafts.asked("", "Why?");
    expect(drafts.of("")).toBe("");
    expect(loadedAgain().of("")).toBe("Why?");
    expect(loadedAgain().of("")).toBe("Why?");
  });

  it("is not replaced by what was on its way", () => {
    drafts.asked("c1", "Why?");
    drafts.keep("c1", "And how?");
    expect(loadedAgain().of("c1")).toBe("And how?");
  });

  it("goes along into the conversation that a question began", () => {
    drafts.asked("", "Why?");
    drafts.keep("", "And how?");
    drafts.accepted("", "c1");
    expect([loadedAgain().of(""), loadedAgain().of("c1")]).toEqual(["", "And how?"]);
  });

  it("is forgotten as a whole", () => {
    drafts.keep("c1", "How long?");
    drafts.asked("c2", "Why?");
    sessionStorage.setItem("another", "stays");
    drafts.clear();
    expect(Object.entries(sessionStorage)).toEqual([["another", "stays"]]);
  });

  it("is typed on where nothing more fits into the storage", () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const full: Storage = Object.assign(Object.create(sessionStorage), {
      length: 0,
      setItem: () => {
        throw new DOMException("full", "QuotaExceededError");
      },
      removeItem: () => undefined,
      getItem: () => null,
    });
    expect(() => new Drafts(full).keep("c1", "x".repeat(1000))).not.toThrow();
  });
});
