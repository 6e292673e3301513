import { describe, expect, it } from "vitest";
import { type Piece, parted, passagesOf } from "./pieces";
import { choices, strategyExplained, strategyWords } from "./strategies";

function piece(position: number, parent: number, more: Partial<Piece> = {}): Piece {
  return { position, parent_position: parent, heading_path: ["Leave"], text: "", repeated_characters: 0, ...more };
}

describe("pieces", () => {
  it("stand under their passages in reading order", () => {
    const shown = passagesOf([piece(0, 0), piece(1, 0), piece(2, 1), piece(3, 2)]);
    expect(shown.map(({ position, pieces }) => [position, pieces.map((each) => each.position)])).toEqual([
      [0, [0, 1]],
      [1, [2]],
      [2, [3]],
    ]);
  });

  it("of a passage that goes over the end of an answer's page are together", () => {
    const pages = [
      [piece(0, 0), piece(1, 1)],
      [piece(2, 1), piece(3, 2)],
    ];
    expect(passagesOf(pages.flat()).map(({ pieces }) => pieces.length)).toEqual([1, 2, 1]);
  });

  it("give their passage the heading and the page where it begins", () => {
    const [passage] = passagesOf([piece(0, 0, { page: 3, heading_path: ["A", "B"] }), piece(1, 0, { page: 4 })]);
    expect(passage).toMatchObject({ heading: ["A", "B"], page: 3 });
  });

  it("say what they repeat by characters, also outside of the basic plane", () => {
    expect(parted(piece(0, 0, { text: "𝒜𝒷 旧 new", repeated_characters: 5 }))).toEqual({
      repeated: "𝒜𝒷 旧 ",
      own: "new",
      length: 8,
    });
    expect(parted(piece(0, 0, { text: "all new" })).repeated).toBe("");
  });
});

describe("strategies", () => {
  it("are named and explained in both languages", () => {
    const known = [
      "structure+recursive",
      "recursive",
      "structure+recursive+semantic",
      "recursive+semantic",
      "model+recursive",
    ];
    for (const strategy of known) {
      expect(strategyWords(strategy, "zh")).toMatch(/^[\u4e00-\u9fff +]+$/);
      expect(strategyExplained(strategy, "zh")).toMatch(/^[\u4e00-\u9fff].*。$/);
      expect(strategyExplained(strategy, "en")).toMatch(/^[A-Z].*\.$/);
    }
    expect(new Set(known.map((strategy) => strategyExplained(strategy, "en"))).size).toBe(known.length);
  });

  it("combine", () => {
    expect(strategyWords("structure+recursive", "en")).toBe("by structure, then by length");
    expect(strategyWords("unheard+recursive", "zh")).toBe("unheard + 按长度递归");
    expect(strategyExplained("unheard", "en")).toBe("");
  });

  it("are offered once each, the recommended one first", () => {
    const available = ["recursive", "structure+recursive", "recursive+semantic"];
    expect(choices(available, "structure+recursive", "recursive")).toEqual([
      "structure+recursive",
      "recursive",
      "recursive+semantic",
    ]);
    expect(choices([], "", "recursive")).toEqual(["recursive"]);
  });
});
