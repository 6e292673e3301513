import { useEffect, useState } from "react";

/** The time in milliseconds, drawn anew every `everyMs` while it `ticks`. */
export function useNow(ticks: boolean, everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!ticks) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [ticks, everyMs]);
  return now;
}
