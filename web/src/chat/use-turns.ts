import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import { useStoredTurns } from "./conversations";
import { onChangeElsewhere } from "./elsewhere";
import { merged } from "./merged";
import { storedTurn } from "./turn-view";
import { turns } from "./turns";

const subscribe = (listener: () => void) => turns.subscribe(listener);

/** The turns of a conversation: those stored, and those that run, here or elsewhere. */
export function useTurns(conversationId: string) {
  const stored = useStoredTurns(conversationId);
  const live = useSyncExternalStore(
    subscribe,
    useCallback(() => turns.of(conversationId), [conversationId]),
  );
  useWatching(conversationId);
  const pages = stored.data?.pages;
  const kept = useMemo(
    () => (pages ?? []).flatMap((page) => page.turns.map((turn) => storedTurn(conversationId, turn))),
    [pages, conversationId],
  );
  const all = useMemo(() => merged(kept, live), [kept, live]);
  return {
    all,
    isPending: conversationId !== "" && stored.isPending && live.length === 0,
    error: stored.error,
    refetch: stored.refetch,
  };
}

/** Follows what runs in the conversation: after a reload, after another tab asked, after this tab was away. */
function useWatching(conversationId: string): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!conversationId) return;
    const readAgain = () => void queries.invalidateQueries({ queryKey: ["turns", "of", conversationId] });
    const watch = () => void turns.watch(conversationId, readAgain).catch(console.warn);
    const look = () => {
      watch();
      readAgain();
    };
    const back = () => {
      if (document.visibilityState === "visible") look();
    };
    watch();
    document.addEventListener("visibilitychange", back);
    window.addEventListener("online", look);
    const leave = onChangeElsewhere((changed) => {
      if (changed === conversationId) look();
    });
    return () => {
      document.removeEventListener("visibilitychange", back);
      window.removeEventListener("online", look);
      leave();
    };
  }, [conversationId, queries]);
}
