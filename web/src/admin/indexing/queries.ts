/** The search index, and building it anew with another embedding model. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answerOf, api } from "@/api/client";

const STATUS = ["retrieval", "status"] as const;
/** While an index is being built. */
const EVERY_MS = 2000;

export function useIndexStatus() {
  return useQuery({
    queryKey: STATUS,
    queryFn: () => answerOf(api.GET("/api/v1/retrieval/status")),
    refetchInterval: ({ state }) => (state.data?.rebuild ? EVERY_MS : false),
  });
}

/** Begins to build the index for a model; that of the model in use ends a run to another. */
export function useRebuild() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (embedding_model: string) =>
      answerOf(api.POST("/api/v1/retrieval/rebuild", { body: { embedding_model } })),
    onSettled: () => queries.invalidateQueries({ queryKey: STATUS }),
  });
}
