/** What is kept of a conversation's older turns, and making it now. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { answerOf, api, type Schemas, send } from "@/api/client";
import { ApiProblem, asProblem } from "@/api/problem";
import { serverEvents } from "@/api/server-events";

export type Memory = Schemas["ConversationMemoryAnswer"];

type CompressionEvent =
  | { type: "delta"; text: string }
  | ({ type: "summary" } & Memory)
  | { type: "error"; reason: string; message: string };

const EVERY_MS = 5000;

const keyOf = (conversationId: string) => ["memory", conversationId] as const;

export function useMemory(conversationId: string) {
  return useQuery({
    queryKey: keyOf(conversationId),
    queryFn: () =>
      answerOf(
        api.GET("/api/v1/conversations/{conversation_id}/memory", {
          params: { path: { conversation_id: conversationId } },
        }),
      ),
    // A summary is made after the turn, and no event tells of it.
    refetchInterval: EVERY_MS,
  });
}

interface Compression {
  /** What has been written so far; null while nothing is being written. */
  text: string | null;
  error: unknown;
  hasEnded: boolean;
}

const IDLE: Compression = { text: null, error: null, hasEnded: false };

/** Compresses on request, and shows the summary as it is written. Leaving the page leaves the stream. */
export function useCompression(conversationId: string) {
  const queries = useQueryClient();
  const [state, setState] = useState<Compression>(IDLE);
  const leaving = useRef<AbortController | null>(null);
  useEffect(() => () => leaving.current?.abort(), []);

  const compress = useCallback(
    async (rebuild: boolean) => {
      const left = new AbortController();
      leaving.current = left;
      setState({ ...IDLE, text: "" });
      try {
        const response = await send(`/api/v1/conversations/${encodeURIComponent(conversationId)}/compress`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ rebuild }),
          signal: left.signal,
        });
        let summary: Memory | null = null;
        for await (const event of serverEvents<CompressionEvent>(response, left.signal)) {
          if (event.type === "delta") setState((now) => ({ ...now, text: (now.text ?? "") + event.text }));
          else if (event.type === "summary") summary = event;
          else throw new ApiProblem(503, event.reason, event.message);
        }
        if (left.signal.aborted) return;
        if (summary) queries.setQueryData(keyOf(conversationId), summary);
        else await queries.invalidateQueries({ queryKey: keyOf(conversationId) });
        setState({ ...IDLE, hasEnded: true });
      } catch (error) {
        if (!left.signal.aborted) setState({ ...IDLE, error: asProblem(error) });
      }
    },
    [conversationId, queries],
  );
  return { ...state, compress };
}
