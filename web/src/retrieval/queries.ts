import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { answerOf, api, type Schemas } from "@/api/client";
import { type Asked, bodyOf } from "./asking";

/** What retrieval finds for a question, with its working; asked once per question, not again behind the person's back. */
export function usePreview(asked: Asked) {
  const body = bodyOf(asked);
  return useQuery({
    queryKey: ["retrieval", "preview", body],
    queryFn: () => answerOf(api.POST("/api/v1/retrieval/preview", { body })),
    enabled: asked.question !== "",
    placeholderData: asked.question ? keepPreviousData : undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
}

/** The plan that the question would get in the chat; nothing is executed. Asked for only when it is `wanted`. */
export function usePlanPreview({ question, domains }: Asked, wanted: boolean) {
  const body = {
    message: question,
    domains: domains.length ? domains : null,
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
  return useQuery({
    queryKey: ["plans", "preview", body],
    queryFn: () => answerOf(api.POST("/api/v1/plans/preview", { body })),
    enabled: wanted,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
}

export function useIndexStatus(): Schemas["RetrievalStatusAnswer"] | undefined {
  return useQuery({ queryKey: ["retrieval", "status"], queryFn: () => answerOf(api.GET("/api/v1/retrieval/status")) })
    .data;
}

/** Own documents whose title or file name holds what was typed, and the chosen ones, as choices. */
export function useDocumentChoices(typed: string, chosen: readonly string[]): { value: string; label: string }[] {
  const found = useQuery({
    queryKey: ["retrieval", "documents", typed],
    queryFn: () =>
      answerOf(api.GET("/api/v1/documents", { params: { query: { query: typed, state: ["READY"], limit: 20 } } })),
    placeholderData: keepPreviousData,
  });
  const listed = found.data?.documents ?? [];
  const known = new Map(listed.map(({ id, title }) => [id, title]));
  const others = useQueries({
    queries: chosen.map((id) => ({
      queryKey: ["documents", "one", id],
      queryFn: () => answerOf(api.GET("/api/v1/documents/{document_id}", { params: { path: { document_id: id } } })),
    })),
  });
  chosen.forEach((id, position) => {
    if (!known.has(id)) known.set(id, others[position]?.data?.title ?? id);
  });
  return [...known].map(([value, label]) => ({ value, label }));
}
