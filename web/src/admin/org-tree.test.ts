import { describe, expect, test } from "vitest";
import { isCode, type OrgTag, orgTree, pathOf, suggestedCode, without } from "./org-tree";

const tag = (code: string, parent_code: string | null = null, name = code.toUpperCase()): OrgTag => ({
  code,
  name,
  parent_code,
});
const TAGS = [tag("b"), tag("a"), tag("a2", "a"), tag("a1", "a"), tag("a11", "a1"), tag("lost", "gone")];

describe("the org tree", () => {
  test("has roots and children by name, and counts what lies below", () => {
    const tree = orgTree(TAGS, "en");
    expect(tree.map((node) => [node.tag.code, node.below])).toEqual([
      ["a", 3],
      ["b", 0],
      ["lost", 0],
    ]);
    expect(tree[0]?.children.map((node) => node.tag.code)).toEqual(["a1", "a2"]);
  });

  test("names the way from the root", () => {
    expect(pathOf("a11", TAGS)).toEqual(["A", "A1", "A11"]);
    expect(pathOf("unknown", TAGS)).toEqual(["unknown"]);
  });

  test("ends the way also where tags lie under each other", () => {
    expect(pathOf("x", [tag("x", "y"), tag("y", "x")])).toHaveLength(2);
  });

  test("offers no place under the moved tag itself", () => {
    const codes = JSON.stringify(without("a1", orgTree(TAGS, "en")));
    expect(codes).toContain('"a2"');
    expect(codes).not.toContain('"a11"');
  });
});

describe("codes", () => {
  test.each([
    ["Human Resources", "human-resources"],
    ["  R&D / Berlin ", "r-d-berlin"],
    ["研发中心", "研发中心"],
    ["...", ""],
    ["x".repeat(80), "x".repeat(64)],
  ])("%j suggests %j", (name, code) => {
    expect(suggestedCode(name)).toBe(code);
    expect(code === "" || isCode(code)).toBe(true);
  });

  test.each(["", ".", "..", "a/b", "a b", "x".repeat(65)])("%j is none", (code) => {
    expect(isCode(code)).toBe(false);
  });
});
