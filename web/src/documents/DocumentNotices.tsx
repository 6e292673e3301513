import { Alert, Button, Progress } from "antd";
import { Link } from "react-router";
import { useStrings } from "@/shared/language";
import { useFailureWords } from "./DocumentStateView";
import type { Document } from "./following";
import { useDocumentLog } from "./queries";
import { isSettled } from "./state-words";
import { documentStrings } from "./strings";
import { isHeld, secondsUntilRetry, useWaitingWords, waitingFor } from "./waiting";

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
      {mine ? <WaitsUntil document={document} /> : <Waits document={document} seconds={null} />}
      {answering && <p className="is-soft">{t.answersMeanwhileHint}</p>}
    </div>
  );
}

/** When it is tried again stands in the log, which only the owner may read. */
function WaitsUntil({ document }: { document: Document }) {
  const entries = useDocumentLog(document.id, `${document.updated_at}`).data?.entries;
  return <Waits document={document} seconds={secondsUntilRetry(entries?.at(-1), Date.now())} />;
}

function Waits({ document, seconds }: { document: Document; seconds: number | null }) {
  const words = useWaitingWords(document, seconds);
  if (!words) return null;
  return <Alert type={waitingFor(document) === "retry" ? "warning" : "info"} showIcon role="status" title={words} />;
}
