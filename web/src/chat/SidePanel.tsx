import { CloseOutlined } from "@ant-design/icons";
import { Button, Drawer, Grid } from "antd";
import { lazy, type ReactNode, Suspense, useEffect, useRef } from "react";
import { Loading } from "@/app/Loading";
import { useStrings } from "@/shared/language";
import { sharedStrings } from "@/shared/strings";
import { turnStrings } from "@/turns/strings";
import { SourceView } from "./SourceView";
import { chatStrings } from "./strings";
import { activityOf, type TurnView } from "./turn-view";
import "./side-panel.css";

const LiveTurnDetails = lazy(() => import("./LiveTurnDetails"));

/** What stands beside the conversation; `key` is the turn's. */
export type Shown = { kind: "source"; key: string; citationId: number } | { kind: "turn"; key: string };

interface SidePanelProps {
  shown: Shown;
  turn: TurnView;
  onShow: (shown: Shown) => void;
  onClose: () => void;
}

/** Beside the conversation on wide screens, a drawer over it on narrow ones. Esc closes it. */
export function SidePanel({ shown, turn, onShow, onClose }: SidePanelProps) {
  const chat = useStrings(chatStrings);
  const words = useStrings(turnStrings);
  const shared = useStrings(sharedStrings);
  const wide = Grid.useBreakpoint().xl !== false;
  const title = shown.kind === "source" ? chat.sourceTitle(shown.citationId) : words.turn;
  const content =
    shown.kind === "source" ? (
      <SourceView
        turn={turn}
        citationId={shown.citationId}
        onCitation={(citationId) => onShow({ ...shown, citationId })}
      />
    ) : (
      <Suspense fallback={<Loading />}>
        <LiveTurnDetails turn={turn} isRunning={activityOf(turn) !== null} />
      </Suspense>
    );
  if (wide) {
    return (
      <Beside title={title} closeLabel={shared.close} onClose={onClose}>
        {content}
      </Beside>
    );
  }
  return (
    <Drawer
      open
      title={title}
      size="min(100vw, 520px)"
      onClose={onClose}
      closable={{ "aria-label": shared.close }}
      rootClassName="side-panel-drawer"
    >
      {content}
    </Drawer>
  );
}

interface BesideProps {
  title: string;
  closeLabel: string;
  onClose: () => void;
  children: ReactNode;
}

function Beside({ title, closeLabel, onClose, children }: BesideProps) {
  const box = useRef<HTMLElement>(null);
  const opener = useRef(document.activeElement);
  useEffect(() => {
    box.current?.focus();
    const from = opener.current;
    return () => {
      if (from instanceof HTMLElement && from.isConnected) from.focus();
    };
  }, []);
  return (
    <aside
      className="side-panel"
      aria-label={title}
      ref={box}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      <header>
        <h2>{title}</h2>
        <Button type="text" icon={<CloseOutlined aria-hidden />} aria-label={closeLabel} onClick={onClose} />
      </header>
      <div className="side-panel-content">{children}</div>
    </aside>
  );
}
