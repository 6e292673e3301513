import type { Schemas } from "@/api/client";
import { useStrings } from "@/shared/language";
import { memoryStrings } from "./strings";

export type Strategy = Exclude<Schemas["ConversationAnswer"]["memory_strategy"], "UNSPECIFIED">;

/** The server's, for conversations about which nothing else was said. */
export const USUAL: Strategy = "SUMMARY";

/** The ways a conversation can remember, each with what it means. */
export function useStrategies(): readonly { value: Strategy; title: string; text: string }[] {
  const t = useStrings(memoryStrings);
  return [
    { value: "SUMMARY", title: t.summary, text: t.summaryText },
    { value: "SLIDING_WINDOW", title: t.window, text: t.windowText },
    { value: "NONE", title: t.none, text: t.noneText },
  ];
}
