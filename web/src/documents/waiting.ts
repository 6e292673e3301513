/** What a document that is not settled waits for. */
import { useLanguage, useStrings } from "@/shared/language";
import { causeOf } from "@/shared/problem-words";
import { useNow } from "@/shared/use-now";
import type { Document } from "./following";
import { documentStrings } from "./strings";

const TICK_MS = 1000;

/** `worker`: none is free; `others`: it gave way; `person`: its owner is to confirm a strategy; `retry`: something failed. */
export type Waiting = "worker" | "others" | "person" | "retry";

const REASONS: Readonly<Record<string, Waiting>> = {
  queued: "worker",
  others_first: "others",
  awaiting_strategy: "person",
};

/** null while it does not wait. */
export function waitingFor(document: Document): Waiting | null {
  const { state, waiting_reason: reason } = document;
  if (!reason || state === "READY" || state === "FAILED" || state === "DELETING") return null;
  return REASONS[reason] ?? "retry";
}

/** Whether nothing happens until its owner confirms how it is cut. */
export function isHeld(document: Document): boolean {
  return waitingFor(document) === "person";
}

/** Seconds until it is tried again, 0 when that is due; null when it does not wait for a time. */
export function secondsUntilRetry({ retry_at: at }: Document, now: number): number | null {
  return at ? Math.max(0, Math.ceil((Date.parse(at) - now) / 1000)) : null;
}

/** What is waited for, in words that tick. */
export function useWaitingWords(document: Document): string | null {
  const t = useStrings(documentStrings);
  const language = useLanguage();
  const waiting = waitingFor(document);
  const reason = document.waiting_reason ?? "";
  const now = useNow(waiting === "retry" && document.retry_at != null, TICK_MS);
  if (waiting === "worker") return t.waitsForWorker(document.queued_before ?? 0);
  if (waiting === "others") return t.waitsForOthers;
  if (waiting === "person") return t.waitsForYou;
  if (waiting === null) return null;
  const why = causeOf(reason, language);
  const seconds = secondsUntilRetry(document, now);
  if (seconds === null) return t.waits(why);
  return seconds > 0 ? t.retriesIn(seconds, why) : t.triesAgain(why);
}
