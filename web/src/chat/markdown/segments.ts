/**
 * Cuts a growing Markdown text into segments that stand for themselves, so that only the last one is read anew when
 * the text grows. Pure: the same text in any steps gives the same segments.
 */

export interface Segments {
  /** Those that no further text will change. */
  settled: readonly string[];
  /** The segment that still grows. */
  tail: string;
  /** Where the tail begins in the text, and what was put before it. */
  tailStart: number;
  prefix: string;
}

/** A segment may end at an empty line from here on; characters. */
const GOOD_LENGTH = 1_500;
/** Lists and indented blocks are held together up to here. */
const LONG_LENGTH = 8_000;
/** Nothing gets longer: what does is cut at a line or a space, and a code block goes on in the next segment. */
const MOST_LENGTH = 16_000;

export const NO_SEGMENTS: Segments = { settled: [], tail: "", tailStart: 0, prefix: "" };

/** Segments of `text`, which begins with the text that `before` was made of. */
export function grown(before: Segments, text: string): Segments {
  let { tailStart: start, prefix } = before;
  const settled: string[] = [];
  for (let cut = nextCut(text, start, prefix); cut; cut = nextCut(text, start, prefix)) {
    settled.push(prefix + text.slice(start, cut.end) + cut.closing);
    start = cut.end;
    prefix = cut.prefix;
  }
  return {
    settled: settled.length ? [...before.settled, ...settled] : before.settled,
    tail: prefix + text.slice(start),
    tailStart: start,
    prefix,
  };
}

interface Cut {
  end: number;
  /** What ends an open code block here, and what begins it again in the next segment. */
  closing: string;
  prefix: string;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const CONTINUES = /^(\s|[-*+>] |\d{1,9}[.)] )/;

function nextCut(text: string, start: number, prefix: string): Cut | null {
  let fence = openFence(prefix);
  let inMath = false;
  let lineStart = start;
  while (true) {
    const newline = text.indexOf("\n", lineStart);
    const complete = newline >= 0;
    const lineEnd = complete ? newline : text.length;
    if (lineEnd - start > MOST_LENGTH) return forced(text, start, lineStart, fence);
    if (!complete) return null;
    const line = text.slice(lineStart, lineEnd);
    const mark = inMath ? null : FENCE.exec(line);
    if (mark) fence = fence ? closed(fence, mark) : { mark: mark[1] as string, line };
    else if (!fence && (line.split("$$").length - 1) % 2 === 1) inMath = !inMath;
    const length = lineEnd + 1 - start;
    const isBlank = line.trim() === "";
    if (isBlank && !fence && !inMath && length >= GOOD_LENGTH) {
      const next = text.slice(lineEnd + 1, lineEnd + 12);
      // Whether the next line goes on with a list shows in its first characters.
      if (next.length < 11 && !next.includes("\n")) return null;
      if (!CONTINUES.test(next) || length >= LONG_LENGTH) return { end: lineEnd + 1, closing: "", prefix: "" };
    }
    lineStart = lineEnd + 1;
  }
}

interface Fence {
  mark: string;
  line: string;
}

function openFence(prefix: string): Fence | null {
  const mark = FENCE.exec(prefix.trimEnd());
  return mark ? { mark: mark[1] as string, line: prefix.trimEnd() } : null;
}

function closed(fence: Fence, mark: RegExpExecArray): Fence | null {
  const ends = mark[1]?.[0] === fence.mark[0] && (mark[1]?.length ?? 0) >= fence.mark.length && mark[2]?.trim() === "";
  return ends ? null : fence;
}

function forced(text: string, start: number, lineStart: number, fence: Fence | null): Cut {
  let end = lineStart;
  if (end <= start) {
    end = text.lastIndexOf(" ", start + MOST_LENGTH) + 1;
    if (end <= start + MOST_LENGTH / 2) end = start + MOST_LENGTH;
    // Never between the halves of a character.
    if (/[\uD800-\uDBFF]/.test(text[end - 1] as string)) end -= 1;
  }
  if (!fence) return { end, closing: "", prefix: "" };
  const newline = text[end - 1] === "\n" ? "" : "\n";
  return { end, closing: `${newline}${fence.mark}`, prefix: `${fence.line}\n` };
}
