/** The one store of this tab, joined to the other tabs and to the session. */
import { sessions } from "@/api/session";
import { type Announcement, HTTP_TURNS, TurnStore } from "./turn-store";

const channel = new BroadcastChannel("superagent.turns");
const listeners = new Set<(announcement: Announcement) => void>();

export const turns = new TurnStore(HTTP_TURNS, (announcement) => channel.postMessage(announcement));

channel.addEventListener("message", ({ data }: MessageEvent<Announcement>) => {
  for (const listener of listeners) listener(data);
});

/** Hears of turns that other tabs begin. */
export function onTurnElsewhere(listener: (announcement: Announcement) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let person = sessions.current()?.user.id;
sessions.subscribe(() => {
  const next = sessions.current()?.user.id;
  if (next !== person) turns.leave();
  person = next;
});
