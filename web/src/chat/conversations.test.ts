import { expect, it } from "vitest";
import { fileName } from "./conversations";

it.each([
  ['Ports: "old/new"\n', "Ports old new"],
  ["..\\..\\secret", "secret"],
  ["对象存储的端口？", "对象存储的端口？"],
  [" \t", ""],
  ["😀".repeat(90), "😀".repeat(80)],
])("a conversation called %j is exported under a name that every system takes", (title, name) => {
  expect(fileName(title)).toBe(name);
});
