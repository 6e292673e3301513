import { Progress } from "antd";
import { Link } from "react-router";
import { useLanguage, useStrings } from "@/shared/language";
import { wordsForReason } from "@/shared/problem-words";
import type { Document } from "./following";
import { isRejection, isSettled, useStateWords } from "./state-words";
import { documentStrings } from "./strings";
import { isHeld, useWaitingWords, waitingFor } from "./waiting";

const TONES: Partial<Record<Document["state"], string>> = { READY: "ready", FAILED: "failed" };

/** A document's state in a word. */
export function StateTag({ document }: { document: Document }) {
  const t = useStrings(documentStrings);
  const words = useStateWords();
  const held = isHeld(document);
  const tone = held ? "held" : (TONES[document.state] ?? "running");
  return <span className={`state-tag is-${tone}`}>{held ? t.held : words.states[document.state]}</span>;
}

/** State, how far it is, and why it waits or failed. */
export function DocumentStateView({ document }: { document: Document }) {
  const t = useStrings(documentStrings);
  const why = useFailureWords(document);
  const waiting = useWaitingWords(document);
  const { id, progress, state, title } = document;
  const held = isHeld(document);
  // The state itself says that it is queued, but not behind how many.
  const said = waitingFor(document) === "worker" && state === "UPLOADED" && !document.queued_before ? null : waiting;
  return (
    <div className="document-state">
      <StateTag document={document} />
      {!isSettled(state) && state !== "DELETING" && !held && (
        <Progress percent={progress} size="small" aria-label={t.progressOf(title)} format={() => t.percent(progress)} />
      )}
      {held ? (
        <p>
          <Link to={`/documents/${id}/pieces`}>{t.lookAndConfirm}</Link>
        </p>
      ) : (
        said && <p className="is-soft">{said}</p>
      )}
      {why && <p className="is-soft">{state === "FAILED" ? why.what : t.lastRunFailed(why.what)}</p>}
    </div>
  );
}

/** Why a document, or its last run, failed and what to do; null when it did not. */
export function useFailureWords({ failure, state }: Document): { what: string; todo: string } | null {
  const words = useStateWords();
  const language = useLanguage();
  if (!failure || !isSettled(state)) return null;
  if (isRejection(failure.reason)) return words.remedies[failure.reason];
  return { what: wordsForReason(failure.reason, failure.message, language), todo: words.otherTodo };
}
