import { expect, test } from "vitest";
import { type ListedDomain, type ManagedDomain, sorted } from "./domains";

const managed = (code: string): ManagedDomain => ({ code, name: code, description: "", owner_org_tag: null });
const listed = (code: string, document_count: number): ListedDomain => ({
  code,
  name: code,
  description: "",
  document_count,
  sample_titles: [`${code}.md`],
});

test("puts documents beside described domains, also where there are none", () => {
  const { described } = sorted([managed("hr"), managed("new")], [listed("hr", 3)]);
  expect(described.map((domain) => [domain.code, domain.documents])).toEqual([
    ["hr", 3],
    ["new", 0],
  ]);
});

test("offers what documents carry and nobody described, the largest first", () => {
  const { undescribed } = sorted([managed("hr")], [listed("hr", 3), listed("it", 1), listed("law", 2), listed("", 9)]);
  expect(undescribed.map((domain) => domain.code)).toEqual(["law", "it"]);
});
