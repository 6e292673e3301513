/** What the keys mean where questions are typed. */
import type { KeyboardEvent } from "react";

/** What an input method sends with the Enter that picks a word. */
const COMPOSING_KEY = 229;

/** Whether the key belongs to an input method that is picking a word. */
export function picksWord(event: KeyboardEvent): boolean {
  return event.nativeEvent.isComposing || event.keyCode === COMPOSING_KEY;
}

/** Whether the key sends: Enter alone. */
export function sends(event: KeyboardEvent): boolean {
  const changed = event.shiftKey || event.altKey || event.ctrlKey || event.metaKey;
  return event.key === "Enter" && !changed && !picksWord(event);
}

/** What the server takes as one question, in characters as people count them. */
export const LONGEST_QUESTION = 32_000;

/** The length of a question that is too long, in characters; null when it fits. */
export function lengthIfTooLong(question: string): number | null {
  // Counting characters reads the text; what has few units cannot have many of them.
  if (question.length <= LONGEST_QUESTION) return null;
  const length = [...question].length;
  return length > LONGEST_QUESTION ? length : null;
}
