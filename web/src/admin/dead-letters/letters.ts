/** What a dead letter is about. */
import type { DeadLetter } from "./queries";

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Where a person finds what the letter's key names; null when it names nothing that has a page. */
export function linkOf({ topic, key }: Pick<DeadLetter, "topic" | "key">): string | null {
  if (!UUID.test(key)) return null;
  const [, about] = /(?:^|\.)(document|turn)\./.exec(topic) ?? [];
  return about ? `/${about}s/${key}` : null;
}

/** The name of a file for what is exported at this time. */
export function exportName(now: Date): string {
  return `dead-letters-${now.toISOString().slice(0, 19).replaceAll(":", "-")}.ndjson`;
}
