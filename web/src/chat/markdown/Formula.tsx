import { memo, useEffect, useRef } from "react";

/** A TeX formula; its source stands there until KaTeX is loaded, and stays when it cannot be read. */
export const Formula = memo(function Formula({ formula, display }: { formula: string; display: boolean }) {
  const box = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let gone = false;
    import("./katex").then(({ renderFormula }) => {
      if (!gone && box.current) renderFormula(formula, display, box.current);
    }, console.warn);
    return () => {
      gone = true;
    };
  }, [formula, display]);
  return (
    <span className={display ? "formula-display" : undefined} ref={box} key={formula}>
      {formula}
    </span>
  );
});
