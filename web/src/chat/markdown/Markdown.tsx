/** An answer's Markdown. Every token becomes an element of ours: raw HTML is text, images are never loaded. */
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Blocks } from "./Blocks";
import { lex } from "./lexer";
import { grown, NO_SEGMENTS, type Segments } from "./segments";
import "./markdown.css";

interface MarkdownProps {
  text: string;
  /** What stands for a citation [n]; null leaves it as text. */
  citation: (citationId: number) => ReactNode;
}

/** From here on segments outside the window are not in the document. */
const MANY = 40;

export const Markdown = memo(function Markdown({ text, citation }: MarkdownProps) {
  const { settled, tail } = useSegments(text);
  const isLong = settled.length > MANY;
  return (
    <div className="markdown">
      {settled.map((segment, index) =>
        isLong ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: segments are only ever added at the end
          <FarSegment key={index} text={segment} citation={citation} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: segments are only ever added at the end
          <Segment key={index} text={segment} citation={citation} />
        ),
      )}
      <Segment key="tail" text={tail} citation={citation} />
    </div>
  );
});

function useSegments(text: string): Segments {
  const last = useRef({ text: "", segments: NO_SEGMENTS });
  return useMemo(() => {
    const { text: before, segments } = last.current;
    const goesOn = text.length >= before.length && text.startsWith(before);
    last.current = { text, segments: grown(goesOn ? segments : NO_SEGMENTS, text) };
    return last.current.segments;
  }, [text]);
}

const Segment = memo(function Segment({ text, citation }: MarkdownProps) {
  const tokens = useMemo(() => lex(text), [text]);
  return <Blocks tokens={tokens} citation={citation} />;
});

const LINE_CHARACTERS = 70;
const LINE_PIXELS = 26;

/** A segment that is rendered only near the window; elsewhere an empty box of its height. */
const FarSegment = memo(function FarSegment(props: MarkdownProps) {
  const box = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(false);
  const height = useRef(Math.ceil(props.text.length / LINE_CHARACTERS) * LINE_PIXELS);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry) return;
        if (!entry.isIntersecting && element.firstChild) height.current = entry.boundingClientRect.height;
        setNear(entry.isIntersecting);
      },
      { rootMargin: "1500px 0px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={box} style={near ? undefined : { height: height.current }}>
      {near && <Segment {...props} />}
    </div>
  );
});
