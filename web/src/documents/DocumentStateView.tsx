import { Progress } from "antd";
import { useLanguage, useStrings } from "@/shared/language";
import { wordsForReason } from "@/shared/problem-words";
import type { Document } from "./following";
import { isRejection, isSettled, useStateWords } from "./state-words";
import { documentStrings } from "./strings";

const TONES: Partial<Record<Document["state"], string>> = { READY: "ready", FAILED: "failed" };

/** A document's state in a word. */
export function StateTag({ state }: { state: Document["state"] }) {
  const words = useStateWords();
  return <span className={`state-tag is-${TONES[state] ?? "running"}`}>{words.states[state]}</span>;
}

/** State, how far it is, and why it waits or failed. */
export function DocumentStateView({ document }: { document: Document }) {
  const t = useStrings(documentStrings);
  const language = useLanguage();
  const why = useFailureWords(document);
  const running = !isSettled(document.state) && document.state !== "DELETING";
  return (
    <div className="document-state">
      <StateTag state={document.state} />
      {running && (
        <Progress
          percent={document.progress}
          size="small"
          aria-label={t.progressOf(document.title)}
          format={() => t.percent(document.progress)}
        />
      )}
      {running && document.waiting_reason && (
        <p className="is-soft">{t.waits(wordsForReason(document.waiting_reason, document.waiting_reason, language))}</p>
      )}
      {why && <p className="is-soft">{why.what}</p>}
    </div>
  );
}

/** Why a document failed and what to do; null when it did not. */
export function useFailureWords(document: Document): { what: string; todo: string } | null {
  const words = useStateWords();
  const language = useLanguage();
  const { failure } = document;
  if (!failure) return null;
  if (isRejection(failure.reason)) return words.remedies[failure.reason];
  return { what: wordsForReason(failure.reason, failure.message, language), todo: words.otherTodo };
}
