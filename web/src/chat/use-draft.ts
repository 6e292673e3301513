import { useCallback, useRef, useState } from "react";
import { drafts } from "./drafts";

type Change = (text: string) => string;

/** The draft of a conversation, and a way to change it. */
export function useDraft(conversationId: string): [string, (next: string | Change) => void] {
  const [draft, setDraft] = useState(() => ({ conversationId, text: drafts.of(conversationId) }));
  const shown = draft.conversationId === conversationId ? draft : { conversationId, text: drafts.of(conversationId) };
  if (shown !== draft) setDraft(shown);
  const latest = useRef(shown.text);
  latest.current = shown.text;
  const change = useCallback(
    (next: string | Change) => {
      const text = typeof next === "string" ? next : next(latest.current);
      latest.current = text;
      drafts.keep(conversationId, text);
      setDraft({ conversationId, text });
    },
    [conversationId],
  );
  return [shown.text, change];
}
