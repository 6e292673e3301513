import { describe, expect, it } from "vitest";
import { ApiProblem } from "@/api/problem";
import type { Strings } from "./language";
import { causeOf, PROBLEM_WORDS, wordsFor, wordsForReason } from "./problem-words";

const modules = import.meta.glob<Record<string, Strings<Record<string, unknown>>>>("../*/**/strings.ts", {
  eager: true,
});
const catalogues = Object.entries(modules).flatMap(([path, module]) =>
  Object.entries(module)
    .filter(([, value]) => typeof value === "object" && "zh" in value && "en" in value)
    .map(([name, catalogue]) => ({ name: `${path} ${name}`, catalogue })),
);

describe("the page's strings", () => {
  it("are found", () => {
    expect(catalogues.length).toBeGreaterThanOrEqual(5);
  });

  it.each(catalogues)("are the same in both languages: $name", ({ catalogue: { zh, en } }) => {
    expect(Object.keys(en).sort()).toEqual(Object.keys(zh).sort());
    for (const [key, message] of Object.entries(zh)) {
      expect(typeof en[key], key).toBe(typeof message);
      expect(message, key).not.toBe("");
      expect(en[key], key).not.toBe("");
    }
  });
});

describe("problems in words", () => {
  it("know the same reasons in both languages", () => {
    expect(Object.keys(PROBLEM_WORDS.en).sort()).toEqual(Object.keys(PROBLEM_WORDS.zh).sort());
  });

  it("fall back to the server's sentence, and to one of ours when there is none", () => {
    expect(wordsForReason("something_new", "The server says so.", "zh")).toBe("The server says so.");
    expect(wordsForReason("something_new", "", "zh")).toBe(PROBLEM_WORDS.zh.request_failed);
  });

  it("say the cause alone to those who are not to try again", () => {
    expect(causeOf("embedder_down", "en")).toBe("The embedding service is not available right now.");
    expect(causeOf("embedder_down", "zh")).toBe("向量服务暂时不可用。");
    expect(causeOf("something_new", "en")).toBe("something_new");
  });

  it("say when to try again", () => {
    expect(wordsFor(new ApiProblem(429, "rate_limited", "", "", 12), "en")).toContain("12 s");
  });
});
