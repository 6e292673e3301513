/** What consumers of events gave up on: listed, handed to them again, discarded, exported. */
import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { send } from "@/api/client";
import { asProblem } from "@/api/problem";

export interface DeadLetter {
  service: string;
  event_id: string;
  topic: string;
  key: string;
  reason: string;
  attempts: number;
  failed_at: string;
  /** null when it cannot be read, which may be why it was given up. */
  payload: unknown;
}

interface DeadLetterPage {
  dead_letters: DeadLetter[];
  next_cursor: string | null;
}

export const SERVICES = ["ingestion", "orchestrator", "trace"] as const;
export type Service = (typeof SERVICES)[number];

const PATH = "/api/v1/admin/dead-letters";
const LETTERS = ["admin", "dead-letters"] as const;
const PAGE = 50;

/** A consumer's dead letters, newest first, page by page. */
export function useDeadLetters(service: Service) {
  return useInfiniteQuery({
    queryKey: [...LETTERS, service],
    queryFn: async ({ pageParam, signal }) => {
      const query = new URLSearchParams({ service, limit: `${PAGE}`, cursor: pageParam });
      return (await send(`${PATH}?${query}`, { signal })).json() as Promise<DeadLetterPage>;
    },
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: keepPreviousData,
  });
}

function pathOf({ service, event_id }: DeadLetter): string {
  return `${PATH}/${encodeURIComponent(service)}/${encodeURIComponent(event_id)}`;
}

/** Does something with a letter and reads the list again; one that is gone meanwhile is what was wanted. */
function useAction(act: (letter: DeadLetter) => Promise<unknown>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (letter: DeadLetter) => {
      try {
        await act(letter);
      } catch (error) {
        if (asProblem(error).status !== 404) throw error;
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: LETTERS }),
  });
}

/** Hands a letter to its consumer again; it leaves the list when the consumer succeeds. */
export function useRedelivery() {
  return useAction((letter) => send(`${pathOf(letter)}/redeliver`, { method: "POST" }));
}

export function useDiscarding() {
  return useAction((letter) => send(pathOf(letter), { method: "DELETE" }));
}

/** All dead letters, one JSON object a line. */
export async function exported(): Promise<Blob> {
  return (await send(`${PATH}/export`, {})).blob();
}
