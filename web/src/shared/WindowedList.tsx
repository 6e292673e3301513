import { type ReactNode, useEffect, useRef, useState } from "react";

interface WindowedListProps<T> {
  items: readonly T[];
  rowPixels: number;
  keyOf: (item: T) => string;
  /** Told when the last rows come near: time to read more. */
  onNearEnd: () => void;
  children: (item: T) => ReactNode;
}

/** Rows that stay in the document above and below the window. */
const MARGIN_ROWS = 10;

/** A list of equally high rows of which only those near the window are in the document. */
export function WindowedList<T>({ items, rowPixels, keyOf, onNearEnd, children }: WindowedListProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [window, setWindow] = useState({ first: 0, rows: 30 });

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => {
      const first = Math.max(0, Math.floor(element.scrollTop / rowPixels) - MARGIN_ROWS);
      const rows = Math.ceil(element.clientHeight / rowPixels) + 2 * MARGIN_ROWS;
      setWindow((before) => (before.first === first && before.rows === rows ? before : { first, rows }));
    };
    measure();
    element.addEventListener("scroll", measure, { passive: true });
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    return () => {
      element.removeEventListener("scroll", measure);
      sizes.disconnect();
    };
  }, [rowPixels]);

  const last = window.first + window.rows;
  const isNearEnd = items.length > 0 && last >= items.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: told again when there are more items, not when it is another function
  useEffect(() => {
    if (isNearEnd) onNearEnd();
  }, [isNearEnd, items.length]);

  return (
    <div className="windowed" ref={box}>
      <ul style={{ height: items.length * rowPixels }}>
        {items.slice(window.first, last).map((item, index) => (
          <li
            key={keyOf(item)}
            aria-setsize={items.length}
            aria-posinset={window.first + index + 1}
            style={{ height: rowPixels, transform: `translateY(${(window.first + index) * rowPixels}px)` }}
          >
            {children(item)}
          </li>
        ))}
      </ul>
    </div>
  );
}
