import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { answerOf, api } from "@/api/client";
import { asProblem } from "@/api/problem";

const PAGE = 40;
/** The same document is cut the same way again; each look costs the server work. */
const FRESH_MS = 300_000;

/** A document as `strategy` would cut it, page by page; the pieces from before are shown while another is cut. */
export function usePieces(id: string, strategy: string, enabled: boolean) {
  return useInfiniteQuery({
    queryKey: ["documents", "pieces", id, strategy],
    queryFn: ({ pageParam, signal }) => {
      const params = { path: { document_id: id }, query: { strategy, limit: PAGE, cursor: pageParam } };
      return answerOf(api.GET("/api/v1/documents/{document_id}/chunks", { params, signal }));
    },
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    // Only what did not reach the server: a model that is asked again costs again.
    retry: (failures, error) => asProblem(error).status === 0 && failures < 2,
    enabled,
  });
}
