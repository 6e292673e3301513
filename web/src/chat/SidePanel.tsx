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

/** What of a turn stands beside the conversation; `key` is the turn's. */
export type Shown = { kind: "source"; key: string; citationId: number } | { kind: "turn"; key: string };

interface TurnPanelProps {
  shown: Shown;
  turn: TurnView;
  onShow: (shown: Shown) => void;
  onClose: () => void;
}

export function TurnPanel({ shown, turn, onShow, onClose }: TurnPanelProps) {
  const chat = useStrings(chatStrings);
  const words = useStrings(turnStrings);
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
  return (
    <SidePanel title={title} onClose={onClose}>
      {content}
    </SidePanel>
  );
}

interface SidePanelProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** Beside the conversation on wide screens, a drawer over it on narrow ones. Esc closes it. */
export function SidePanel({ title, onClose, children }: SidePanelProps) {
  const shared = useStrings(sharedStrings);
  const wide = Grid.useBreakpoint().xl !== false;
  if (wide) {
    return (
      <Beside title={title} closeLabel={shared.close} onClose={onClose}>
        {children}
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
      {children}
    </Drawer>
  );
}

function Beside({ title, closeLabel, onClose, children }: SidePanelProps & { closeLabel: string }) {
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
