/** Which stretches of an evidence's text its matching children are. */
import type { Schemas } from "@/api/client";

type Evidence = Schemas["Evidence"];

/** A stretch of text; `best` is the best child's, `matched` any child's. */
export interface Stretch {
  text: string;
  matched: boolean;
  best: boolean;
}

const CUT_MARK = "…";

/**
 * The evidence's text in stretches. Offsets count characters of the whole text, while `text` may be a window of it with
 * a mark at a cut end, so that where the window begins is found by a child's own text.
 */
export function stretches(evidence: Pick<Evidence, "text" | "cut" | "children">): Stretch[] {
  const characters = [...evidence.text];
  const shift = evidence.cut ? windowShift(characters, evidence.children) : 0;
  if (shift === null) return [{ text: evidence.text, matched: false, best: false }];
  // Per character: 0 not matched, 1 matched, 2 by the best child.
  const marks = new Uint8Array(characters.length);
  const first = evidence.cut && characters[0] === CUT_MARK ? 1 : 0;
  const last = characters.length - (evidence.cut && characters.at(-1) === CUT_MARK ? 1 : 0);
  evidence.children.forEach((child, position) => {
    const [start = 0, end = 0] = child.offsets;
    for (let at = Math.max(first, start + shift); at < Math.min(last, end + shift); at += 1)
      marks[at] = Math.max(marks[at] as number, position === 0 ? 2 : 1);
  });
  const found: Stretch[] = [];
  for (let from = 0, to = 0; from < characters.length; from = to) {
    while (to < characters.length && marks[to] === marks[from]) to += 1;
    const text = characters.slice(from, to).join("");
    found.push({ text, matched: marks[from] !== 0, best: marks[from] === 2 });
  }
  return found;
}

/** What to add to an offset of the whole text; null when no child can be found in the window. */
function windowShift(characters: readonly string[], children: Evidence["children"]): number | null {
  const text = characters.join("");
  for (const child of children) {
    const at = text.indexOf(child.text);
    if (at >= 0) return [...text.slice(0, at)].length - (child.offsets[0] ?? 0);
  }
  // The window begins inside of the best child, or ends there.
  const best = children[0];
  if (!best) return null;
  const window = text.replaceAll(CUT_MARK, "");
  const begin = window.slice(0, 24);
  const inside = best.text.indexOf(begin);
  if (begin && inside >= 0) {
    const skipped = [...best.text.slice(0, inside)].length;
    return (text.startsWith(CUT_MARK) ? 1 : 0) - skipped - (best.offsets[0] ?? 0);
  }
  const at = text.indexOf(best.text.slice(0, 24));
  return at >= 0 ? [...text.slice(0, at)].length - (best.offsets[0] ?? 0) : null;
}
