import { describe, expect, it } from "vitest";
import { highlighted } from "./highlighted";

describe("a passage with what was found marked", () => {
  it("counts characters as Python does", () => {
    expect(highlighted("😀ab", [{ start: 1, end: 2 }])).toEqual([
      { text: "😀", marked: false },
      { text: "a", marked: true },
      { text: "b", marked: false },
    ]);
  });

  it("joins ranges that overlap, and cuts those beyond the end", () => {
    expect(
      highlighted("abcdef", [
        { start: 3, end: 99 },
        { start: 1, end: 4 },
      ]),
    ).toEqual([
      { text: "a", marked: false },
      { text: "bcdef", marked: true },
    ]);
  });
});
