/** What the tabs of one browser tell each other: something about a conversation has changed. */

const channel = new BroadcastChannel("superagent.conversations");
const listeners = new Set<(conversationId: string) => void>();

channel.addEventListener("message", ({ data }: MessageEvent<string>) => {
  for (const listener of listeners) listener(data);
});

/** Tells the other tabs that a conversation was asked something, renamed, deleted or the like. */
export function tellElsewhere(conversationId: string): void {
  channel.postMessage(conversationId);
}

/** Hears of conversations that other tabs change. */
export function onChangeElsewhere(listener: (conversationId: string) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
