/** How a list of documents follows those that are still being processed. */
import type { Schemas } from "@/api/client";
import { isSettled } from "./state-words";

export type Document = Schemas["DocumentAnswer"];
type Listed = Schemas["DocumentsAnswer"];

const SHOWN_MS = 1500;
const HIDDEN_MS = 15_000;
const FAILED_MS = 10_000;

/** Milliseconds until unfinished documents are looked at again. */
export function pollPause(hidden: boolean, failed: boolean): number {
  if (hidden) return HIDDEN_MS;
  return failed ? FAILED_MS : SHOWN_MS;
}

/** Shown as unfinished, but no more among the unfinished ones: each is to be looked at by itself. */
export function settledMeanwhile(shown: readonly Document[], unfinished: Listed): string[] {
  const still = new Set(unfinished.documents.map((document) => document.id));
  // Behind the end of a full page there may be more, older ones.
  const oldest = unfinished.next_cursor ? (unfinished.documents.at(-1)?.created_at ?? "") : "";
  return shown
    .filter((document) => !isSettled(document.state) && document.state !== "DELETING" && !still.has(document.id))
    .filter((document) => !oldest || (document.created_at ?? "") > oldest)
    .map((document) => document.id);
}

/** The pages with the documents as they are now, and without those that are gone. */
export function withChanges(
  pages: readonly Listed[],
  changed: ReadonlyMap<string, Document>,
  gone: ReadonlySet<string>,
): Listed[] {
  return pages.map((page) => ({
    ...page,
    documents: page.documents
      .filter((document) => !gone.has(document.id))
      .map((document) => {
        const now = changed.get(document.id);
        // A deletion that is under way is newer than what a poll saw.
        return now && document.state !== "DELETING" ? now : document;
      }),
  }));
}
