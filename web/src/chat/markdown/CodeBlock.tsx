import { memo, type ReactNode, useEffect, useState } from "react";
import { CopyButton } from "@/shared/CopyButton";
import { useStrings } from "@/shared/language";
import { sharedStrings } from "@/shared/strings";
import type { Highlight } from "./highlight";

/** Longer code is shown without colours: they would cost more than they help. */
const COLOURED_CHARACTERS = 30_000;

let highlight: Highlight | null = null;

/** The colouring of code, loaded when the first code is shown; null until then. */
function useHighlight(): Highlight | null {
  const [loaded, setLoaded] = useState(() => highlight);
  useEffect(() => {
    if (loaded) return;
    let gone = false;
    import("./highlight").then((module) => {
      highlight = module.highlight;
      if (!gone) setLoaded(() => highlight);
    }, console.warn);
    return () => {
      gone = true;
    };
  }, [loaded]);
  return loaded;
}

export const CodeBlock = memo(function CodeBlock({ code, language = "" }: { code: string; language?: string }) {
  const t = useStrings(sharedStrings);
  const colour = useHighlight();
  const content: ReactNode = colour && code.length <= COLOURED_CHARACTERS ? colour(code, language) : code;
  return (
    <figure className="code">
      <figcaption>
        <span>{language}</span>
        <CopyButton text={code} label={t.copyCode} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keyboard */}
      <pre tabIndex={0}>
        <code>{content}</code>
      </pre>
    </figure>
  );
});
