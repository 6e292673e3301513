/** KaTeX with its own fonts. A chunk of its own: few answers hold formulas. */
import katex from "katex";
import "katex/dist/katex.min.css";

/** Elements around one another; ten fractions in each other have about a hundred, and some thousand kill the tab. */
const DEEPEST = 400;

/**
 * Puts the formula into `box`; bad TeX, and what is nested too deep to be read or laid out, stays as its source.
 * Formulas can neither link nor load anything.
 */
export function renderFormula(formula: string, displayMode: boolean, box: HTMLElement): void {
  const drawn = document.createElement("span");
  try {
    katex.render(formula, drawn, {
      displayMode,
      throwOnError: false,
      trust: false,
      strict: false,
      maxSize: 10,
      maxExpand: 500,
    });
  } catch (error) {
    if (error instanceof RangeError) return;
    throw error;
  }
  if (!isDeeper(drawn, DEEPEST)) box.replaceChildren(...drawn.childNodes);
}

function isDeeper(root: Element, most: number): boolean {
  let level: Element[] = [root];
  for (let depth = 0; level.length; depth++) {
    if (depth > most) return true;
    level = level.flatMap((element) => [...element.children]);
  }
  return false;
}
