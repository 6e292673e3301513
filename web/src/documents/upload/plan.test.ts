import { describe, expect, it } from "vitest";
import { ApiProblem } from "@/api/problem";
import { base64OfHex, isPassing, missingParts, partsOf, pauseAfter, percentOf } from "./plan";

const MIB = 1024 * 1024;

describe("parts", () => {
  it("cover the file without a gap, the last one shorter", () => {
    const parts = partsOf(12 * MIB, 5 * MIB);
    expect(parts.map((part) => part.end - part.start)).toEqual([5 * MIB, 5 * MIB, 2 * MIB]);
    expect(parts.map((part) => part.start)).toEqual([0, 5 * MIB, 10 * MIB]);
  });

  it("are whole when the size is a multiple", () => {
    expect(partsOf(10 * MIB, 5 * MIB)).toHaveLength(2);
  });

  it("are none for an empty file", () => {
    expect(partsOf(0, 5 * MIB)).toEqual([]);
  });

  it("that arrived do not travel again", () => {
    expect(missingParts(12 * MIB, 5 * MIB, [2, 0]).map((part) => part.number)).toEqual([1]);
    expect(missingParts(12 * MIB, 5 * MIB, [0, 1, 2])).toEqual([]);
  });
});

describe("trying again", () => {
  const problem = (status: number, reason = "any") => new ApiProblem(status, reason, "");

  it.each([0, 408, 429, 500, 502, 503, 504])("is worth it after %i", (status) => {
    expect(isPassing(problem(status))).toBe(true);
  });

  it.each([400, 401, 403, 404, 409, 413, 501])("is not worth it after %i", (status) => {
    expect(isPassing(problem(status))).toBe(false);
  });

  it("is worth it for bytes that were damaged on their way, not for a fault of the page", () => {
    expect(isPassing(problem(400, "part_hash_mismatch"))).toBe(true);
    expect(isPassing(problem(0, "page_fault"))).toBe(false);
  });

  it("waits longer each time, and as long as the server says", () => {
    expect([1, 2, 3].map((failures) => pauseAfter(failures, null, 0.5))).toEqual([1000, 2000, 4000]);
    expect(pauseAfter(1, 7, 0.5)).toBe(7000);
  });
});

describe("per cent", () => {
  it("never falls on the way through the phases", () => {
    const way = [
      percentOf({ phase: "waiting", done: 0, total: 10 }),
      percentOf({ phase: "hashing", done: 0, total: 10 }),
      percentOf({ phase: "hashing", done: 10, total: 10 }),
      percentOf({ phase: "sending", done: 0, total: 10 }),
      percentOf({ phase: "sending", done: 5, total: 10 }),
      percentOf({ phase: "sending", done: 12, total: 10 }),
      percentOf({ phase: "completing", done: 10, total: 10 }),
    ];
    expect(way).toEqual([...way].sort((a, b) => a - b));
    expect(way.at(-1)).toBe(99);
  });

  it("of an empty file is that of its phase's end", () => {
    expect(percentOf({ phase: "sending", done: 0, total: 0 })).toBe(99);
  });
});

it("writes a digest as base64", () => {
  expect(base64OfHex("00ff10")).toBe("AP8Q");
});
