/** What keys mean where text is typed. */
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
