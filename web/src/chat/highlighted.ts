/** Text cut into marked and unmarked parts. Pure. */

export interface Range {
  /** In characters as Python counts them: code points. */
  start: number;
  end: number;
}

export interface Part {
  text: string;
  marked: boolean;
}

/** `text` with `ranges` marked; ranges may overlap, touch, and reach beyond the text. */
export function highlighted(text: string, ranges: readonly Range[]): Part[] {
  const characters = Array.from(text);
  const parts: Part[] = [];
  let at = 0;
  const add = (end: number, marked: boolean) => {
    if (end <= at) return;
    const part = characters.slice(at, end).join("");
    const last = parts.at(-1);
    if (last?.marked === marked) last.text += part;
    else parts.push({ text: part, marked });
    at = end;
  };
  for (const { start, end } of [...ranges].sort((one, other) => one.start - other.start)) {
    add(Math.min(start, characters.length), false);
    add(Math.min(end, characters.length), true);
  }
  add(characters.length, false);
  return parts;
}
