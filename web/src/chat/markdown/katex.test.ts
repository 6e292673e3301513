import { describe, expect, it } from "vitest";

// KaTeX looks, once, whether the document has a doctype; this one has none.
Object.defineProperty(document, "compatMode", { value: "CSS1Compat" });
const { renderFormula } = await import("./katex");

function drawn(formula: string): HTMLElement {
  const box = document.createElement("span");
  box.textContent = formula;
  renderFormula(formula, false, box);
  return box;
}

describe("a formula", () => {
  it("is drawn, also with ten fractions in each other", () => {
    expect(drawn("a^2").querySelector(".katex")).not.toBeNull();
    expect(drawn(`${"\\frac{1}{".repeat(10)}x${"}".repeat(10)}`).querySelector(".katex")).not.toBeNull();
  });

  it.each([
    `${"\\frac{1}{".repeat(70)}x${"}".repeat(70)}`,
    `${"{".repeat(20_000)}x${"}".repeat(20_000)}`,
    `${"\\left(".repeat(450)}x${"\\right)".repeat(450)}`,
  ])("stays as its source when it is nested too deep, %#", (formula) => {
    expect(drawn(formula).textContent).toBe(formula);
  });
});
