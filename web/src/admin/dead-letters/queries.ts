/** What consumers of events gave up on: listed, handed to them again, discarded, exported. */
import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { answerOf, api, type Schemas, send } from "@/api/client";
import { asProblem } from "@/api/problem";

export type DeadLetter = Schemas["DeadLetterAnswer"];
export type Service = DeadLetter["service"];

export const SERVICES: readonly Service[] = ["ingestion", "memory", "orchestrator", "trace"];

const LETTERS = ["admin", "dead-letters"] as const;
const PAGE = 50;

/** A consumer's dead letters, newest first, page by page. */
export function useDeadLetters(service: Service) {
  return useInfiniteQuery({
    queryKey: [...LETTERS, service],
    queryFn: ({ pageParam, signal }) => {
      const query = { service, limit: PAGE, cursor: pageParam };
      return answerOf(api.GET("/api/v1/admin/dead-letters", { params: { query }, signal }));
    },
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: keepPreviousData,
  });
}

function paramsOf({ service, event_id }: DeadLetter) {
  return { params: { path: { service, event_id } } };
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
  return useAction((letter) =>
    answerOf(api.POST("/api/v1/admin/dead-letters/{service}/{event_id}/redeliver", paramsOf(letter))),
  );
}

export function useDiscarding() {
  return useAction((letter) =>
    answerOf(api.DELETE("/api/v1/admin/dead-letters/{service}/{event_id}", paramsOf(letter))),
  );
}

/** All dead letters, one JSON object a line. */
export async function exported(): Promise<Blob> {
  return (await send("/api/v1/admin/dead-letters/export", {})).blob();
}
