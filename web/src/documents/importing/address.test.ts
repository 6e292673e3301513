import { expect, it } from "vitest";
import { addressOf, hostOf } from "./address";

it.each([
  ["https://example.org/guide.pdf", "https://example.org/guide.pdf"],
  ["  http://example.org/a?b=c#d ", "http://example.org/a?b=c#d"],
  ["example.org/guide", "https://example.org/guide"],
  ["example.org:8443/guide", "https://example.org:8443/guide"],
  ["localhost:8080/x", "https://localhost:8080/x"],
  ["https://例子.cn/手册", "https://xn--fsqu00a.cn/%E6%89%8B%E5%86%8C"],
])("takes %s as %s", (typed, address) => {
  expect(addressOf(typed)).toBe(address);
});

it.each([
  "",
  "   ",
  "ftp://example.org/x",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "https://",
  "http://me:secret@example.org/",
])("takes %j for no address that can be fetched", (typed) => {
  expect(addressOf(typed)).toBeNull();
});

it("says whose an address is", () => {
  expect(hostOf("https://docs.example.org:8443/a/b")).toBe("docs.example.org:8443");
  expect(hostOf("nonsense")).toBe("nonsense");
});
