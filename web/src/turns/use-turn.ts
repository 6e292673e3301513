import { useQuery } from "@tanstack/react-query";
import { answerOf, api } from "@/api/client";

/** The record of a turn that has ended; nothing is asked without an id. */
export function useTurn(turnId: string) {
  return useQuery({
    queryKey: ["turns", "one", turnId],
    enabled: turnId !== "",
    queryFn: () => answerOf(api.GET("/api/v1/traces/turns/{turn_id}", { params: { path: { turn_id: turnId } } })),
  });
}
