/** KaTeX with its own fonts. A chunk of its own: few answers hold formulas. */
import katex from "katex";
import "katex/dist/katex.min.css";

/** Puts the formula into `box`; bad TeX stays as its source. Formulas can neither link nor load anything. */
export function renderFormula(formula: string, displayMode: boolean, box: HTMLElement): void {
  katex.render(formula, box, {
    displayMode,
    throwOnError: false,
    trust: false,
    strict: false,
    maxSize: 50,
    maxExpand: 500,
  });
}
