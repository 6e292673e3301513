/** What is remembered of the person across conversations. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answerOf, api, type Schemas } from "@/api/client";

export type PersonalMemory = Schemas["MyMemoryAnswer"];

const MEMORY = ["me", "memory"] as const;

export function usePersonalMemory() {
  return useQuery({ queryKey: MEMORY, queryFn: () => answerOf(api.GET("/api/v1/me/memory")) });
}

/** Switches it on or off, or adds an item. */
export function useMemoryChange() {
  const queries = useQueryClient();
  return useMutation({
    // One after the other: a late answer to the one before would take away what the next one added.
    scope: { id: "me-memory" },
    mutationFn: (change: Schemas["MyMemoryChangeBody"]) => answerOf(api.PATCH("/api/v1/me/memory", { body: change })),
    onSuccess: (memory) => queries.setQueryData(MEMORY, memory),
  });
}

/** Forgets one item, or with null all of them. */
export function useForgetting() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (itemId: string | null) =>
      itemId === null
        ? answerOf(api.DELETE("/api/v1/me/memory"))
        : answerOf(api.DELETE("/api/v1/me/memory/{item_id}", { params: { path: { item_id: itemId } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: MEMORY }),
  });
}
