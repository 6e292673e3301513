/** What a document that is not settled waits for. */
import { useLanguage, useStrings } from "@/shared/language";
import { causeOf } from "@/shared/problem-words";
import type { Document } from "./following";
import { documentStrings } from "./strings";

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

/** Seconds until the next try, by the last entry of a document's log; null when that is not about a try. */
export function secondsUntilRetry(last: { at: string; message: string } | undefined, now: number): number | null {
  const waits = /^Waits ([\d.]+) s: /.exec(last?.message ?? "");
  if (!last || !waits) return null;
  return Math.max(0, Math.ceil((Date.parse(last.at) - now) / 1000 + Number(waits[1])));
}

/** What is waited for, in words; `seconds` until the next try where they are known. */
export function useWaitingWords(document: Document, seconds: number | null = null): string | null {
  const t = useStrings(documentStrings);
  const language = useLanguage();
  const waiting = waitingFor(document);
  const reason = document.waiting_reason ?? "";
  if (waiting === "worker") return t.waitsForWorker;
  if (waiting === "others") return t.waitsForOthers;
  if (waiting === "person") return t.waitsForYou;
  if (waiting === null) return null;
  const why = causeOf(reason, language);
  return seconds ? t.retriesIn(seconds, why) : t.waits(why);
}
