import { useEffect, useMemo, useState } from "react";
import { keyOf, type TurnView } from "./turn-view";

/** Turns at the end of a conversation that are drawn at once: more than a window shows. */
const FIRST = 12;
/** Turns that are drawn together afterwards. */
const STEP = 6;
/** For browsers that do not say when they are idle, milliseconds. */
const PAUSE = 30;

/** Which turns of a long conversation are drawn: the newest at once, the others when the browser has time, upwards. */
export function useDrawn(all: readonly TurnView[]): ReadonlySet<string> {
  const [before, setBefore] = useState<ReadonlySet<string>>(new Set());
  const drawn = useMemo(() => {
    const keys = all.map(keyOf);
    return new Set([...keys.filter((key) => before.has(key)), ...keys.slice(-FIRST)]);
  }, [all, before]);
  useEffect(() => {
    const next = all.map(keyOf).filter((key) => !drawn.has(key));
    if (next.length > 0) return whenIdle(() => setBefore(new Set([...drawn, ...next.slice(-STEP)])));
  }, [all, drawn]);
  return drawn;
}

/** Gives what takes the wish back. */
function whenIdle(work: () => void): () => void {
  if (!window.requestIdleCallback) {
    const timer = setTimeout(work, PAUSE);
    return () => clearTimeout(timer);
  }
  const wish = window.requestIdleCallback(work);
  return () => window.cancelIdleCallback(wish);
}
