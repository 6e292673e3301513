import { Alert, Button, Progress } from "antd";
import { Link } from "react-router";
import { useStrings } from "@/shared/language";
import { useFailureWords } from "./DocumentStateView";
import type { Document } from "./following";
import { isSettled } from "./state-words";
import { documentStrings } from "./strings";
import { isHeld, useWaitingWords, waitingFor } from "./waiting";

/** Why it failed, or why its last run did while the version from before goes on answering. */
export function Failure({ document }: { document: Document }) {
  const t = useStrings(documentStrings);
  const why = useFailureWords(document);
  const said = document.failure?.message;
  if (!why) return null;
  const failed = document.state === "FAILED";
  return (
    <Alert
      type={failed ? "error" : "warning"}
      showIcon
      role="alert"
      className="document-notice"
      title={failed ? why.what : t.lastRunFailedTitle}
      description={
        <>
          {!failed && <p>{why.what}</p>}
          <p>
            <strong>{t.todo}</strong>
            {why.todo}
          </p>
          {said && said !== why.what && <p className="small-print">{t.serviceSaid(said)}</p>}
        </>
      }
    />
  );
}

/** How far it is and what it waits for. */
export function UnderWay({ document }: { document: Document }) {
  const t = useStrings(documentStrings);
  const { answering, id, mine, progress, state, title } = document;
  if (isSettled(state) || state === "DELETING") return null;
  if (isHeld(document)) {
    return (
      <Alert
        type="info"
        showIcon
        role="status"
        className="document-notice"
        title={t.held}
        description={
          <>
            <p>{t.waitsForYou}</p>
            {mine && (
              <Link to={`/documents/${id}/pieces`}>
                <Button type="primary" tabIndex={-1} className="notice-action">
                  {t.lookAndConfirm}
                </Button>
              </Link>
            )}
          </>
        }
      />
    );
  }
  return (
    <div className="under-way">
      <Progress percent={progress} aria-label={t.progressOf(title)} format={() => t.percent(progress)} />
      <Waits document={document} />
      {answering && <p className="is-soft">{t.answersMeanwhileHint}</p>}
    </div>
  );
}

function Waits({ document }: { document: Document }) {
  const words = useWaitingWords(document);
  if (!words) return null;
  // What ticks would be read out every second.
  const role = document.retry_at ? "timer" : "status";
  return <Alert type={waitingFor(document) === "retry" ? "warning" : "info"} showIcon role={role} title={words} />;
}
