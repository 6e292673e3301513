import { act, renderHook } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { setLanguage } from "@/shared/language";
import { belongsTo, filtersOf, parametersOf, statesOf } from "./filters";
import type { Document } from "./following";
import { isHeld, secondsUntilRetry, useWaitingWords, waitingFor } from "./waiting";

function document(state: Document["state"], reason = ""): Document {
  return { state, waiting_reason: reason } as Document;
}

describe("waiting", () => {
  it.each([
    ["UPLOADED", "queued", "worker"],
    ["INDEXING", "others_first", "others"],
    ["PARSED", "awaiting_strategy", "person"],
    ["INDEXING", "embedder_down", "retry"],
    ["INDEXING", "", null],
    ["READY", "embedder_down", null],
  ] as const)("of %s for %j is for: %s", (state, reason, waiting) => {
    expect(waitingFor(document(state, reason))).toBe(waiting);
    expect(isHeld(document(state, reason))).toBe(waiting === "person");
  });

  it("is said in words, with when it is tried again or how many come before where that is known", () => {
    setLanguage("en");
    const words = (waiting: Document) => renderHook(() => useWaitingWords(waiting)).result.current;
    const down = document("INDEXING", "embedder_down");
    expect(words(document("INDEXING"))).toBeNull();
    expect(words(document("UPLOADED", "queued"))).toContain("when its turn comes");
    expect(words({ ...document("UPLOADED", "queued"), queued_before: 1 })).toContain(
      "1 of your documents comes before",
    );
    expect(words({ ...document("UPLOADED", "queued"), queued_before: 7 })).toContain("7 of your documents come before");
    expect(words(document("INDEXING", "others_first"))).toContain("another person's document go first");
    expect(words(down)).toMatch(/by itself: The embedding service/);
    expect(words({ ...down, retry_at: "2020-01-01T00:00:00Z" })).toMatch(/again now: The embedding service/);
  });

  it("ticks down to the next try", () => {
    vi.useFakeTimers({ now: Date.parse("2026-11-30T04:00:00Z") });
    try {
      setLanguage("en");
      const waiting = { ...document("INDEXING", "embedder_down"), retry_at: "2026-11-30T04:00:07Z" };
      const words = renderHook(() => useWaitingWords(waiting)).result;
      expect(words.current).toMatch(/in 7 s: The embedding service/);
      act(() => void vi.advanceTimersByTime(3000));
      expect(words.current).toMatch(/in 4 s: /);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("the next try", () => {
  it("is never in the past, and not known of what waits for no time", () => {
    const waiting = { ...document("INDEXING", "embedder_down"), retry_at: "2026-11-30T04:00:08Z" };
    const now = Date.parse("2026-11-30T04:00:03Z");
    expect(secondsUntilRetry(waiting, now)).toBe(5);
    expect(secondsUntilRetry(waiting, now + 60_000)).toBe(0);
    expect(secondsUntilRetry(document("INDEXING", "embedder_down"), now)).toBeNull();
  });
});

describe("the filter of what waits for its owner", () => {
  it("leaves out what passes through the same state", () => {
    expect(statesOf("held")).toEqual(["PARSED"]);
    expect(belongsTo("held", document("PARSED", "awaiting_strategy"))).toBe(true);
    expect(belongsTo("held", document("PARSED"))).toBe(false);
    expect(belongsTo("all", document("PARSED"))).toBe(true);
    expect(filtersOf(parametersOf({ group: "held", query: "", domain: "" })).group).toBe("held");
  });
});
