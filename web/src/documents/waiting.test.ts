import { renderHook } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setLanguage } from "@/shared/language";
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

  it("is said in words, with when it is tried again where that is known", () => {
    setLanguage("en");
    const words = (waiting: Document, seconds: number | null = null) =>
      renderHook(() => useWaitingWords(waiting, seconds)).result.current;
    expect(words(document("INDEXING"))).toBeNull();
    expect(words(document("UPLOADED", "queued"))).toContain("Queued");
    expect(words(document("INDEXING", "others_first"))).toContain("another person's document go first");
    expect(words(document("INDEXING", "embedder_down"))).toMatch(/by itself: The embedding service/);
    expect(words(document("INDEXING", "embedder_down"), 7)).toMatch(/in 7 s: The embedding service/);
  });
});

describe("the next try", () => {
  const now = Date.parse("2026-11-30T04:00:03Z");

  it("is as far as the log says, and never in the past", () => {
    const last = { at: "2026-11-30T04:00:00Z", message: "Waits 8 s: embedder_down." };
    expect(secondsUntilRetry(last, now)).toBe(5);
    expect(secondsUntilRetry(last, now + 60_000)).toBe(0);
  });

  it("is not known when something else happened since", () => {
    expect(secondsUntilRetry({ at: "2026-11-30T04:00:00Z", message: "Cut into 3 pieces." }, now)).toBeNull();
    expect(secondsUntilRetry(undefined, now)).toBeNull();
  });
});
