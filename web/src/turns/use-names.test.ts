import { expect, it } from "vitest";
import { inLanguage } from "./use-names";

it("takes the half of a name in the reader's language", () => {
  expect(inLanguage("智能助手 / AI assistant", "zh")).toBe("智能助手");
  expect(inLanguage("智能助手 / AI assistant", "en")).toBe("AI assistant");
});

it("leaves other names as they are", () => {
  for (const name of ["operations", "A / B / C", "A/B", " / B"]) expect(inLanguage(name, "en")).toBe(name);
});
