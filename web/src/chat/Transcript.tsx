import { DownOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useStrings } from "@/shared/language";
import { chatStrings } from "./strings";

/** So near to the end counts as being there. */
const END_PIXELS = 80;

interface TranscriptProps {
  children: ReactNode;
  /** Changing it goes to the end: another conversation, a new question. */
  place: string;
  /** Whether an answer is being written. */
  isGrowing: boolean;
}

/** The scrolling part. It follows a growing answer only while the reader is at its end. */
export function Transcript({ children, place, isGrowing }: TranscriptProps) {
  const t = useStrings(chatStrings);
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const growing = useRef(isGrowing);
  growing.current = isGrowing;
  const [away, setAway] = useState(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new place goes to the end
  useLayoutEffect(() => {
    follows.current = true;
    toEnd(box.current);
  }, [place]);

  useEffect(() => {
    const element = box.current;
    if (!element || !content.current) return;
    const look = () => {
      const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < END_PIXELS;
      setAway(!isAtEnd);
      return isAtEnd;
    };
    const scrolled = () => {
      follows.current = look();
    };
    // What opens where the reader pressed stays where it is; an answer that grows is followed again.
    const pressed = () => {
      follows.current = false;
    };
    element.addEventListener("scroll", scrolled, { passive: true });
    element.addEventListener("click", pressed);
    const sizes = new ResizeObserver(() => {
      if (follows.current) toEnd(element);
      else if (growing.current) scrolled();
      else look();
    });
    sizes.observe(content.current);
    return () => {
      element.removeEventListener("scroll", scrolled);
      element.removeEventListener("click", pressed);
      sizes.disconnect();
    };
  }, []);

  return (
    <div className="transcript-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keyboard */}
      <section className="transcript" ref={box} tabIndex={0} aria-label={t.transcript}>
        <div className="transcript-content" ref={content}>
          {children}
        </div>
      </section>
      {away && (
        <Button
          className="to-end"
          shape="circle"
          icon={<DownOutlined aria-hidden />}
          aria-label={t.jumpToEnd}
          title={t.jumpToEnd}
          onClick={() => toEnd(box.current)}
        />
      )}
    </div>
  );
}

function toEnd(element: HTMLElement | null): void {
  if (element) element.scrollTop = element.scrollHeight;
}
