/** The person's conversations and their stored turns, as the server has them. */
import { type InfiniteData, useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { answerOf, api, type Schemas } from "@/api/client";

export type Conversation = Schemas["ConversationAnswer"];

const LIST = ["conversations"] as const;
const PAGE = 100;

type Pages = InfiniteData<Schemas["ConversationsAnswer"], string>;

/** All conversations, latest first, page by page. */
export function useConversations() {
  return useInfiniteQuery({
    queryKey: LIST,
    initialPageParam: "",
    queryFn: ({ pageParam }) =>
      answerOf(api.GET("/api/v1/conversations", { params: { query: { limit: PAGE, cursor: pageParam } } })),
    getNextPageParam: (page) => page.next_cursor,
  });
}

/** Stored turns of a conversation, oldest first; all pages are read, one after the other. */
export function useStoredTurns(conversationId: string) {
  const query = useInfiniteQuery({
    queryKey: ["turns", "of", conversationId],
    enabled: conversationId !== "",
    initialPageParam: "",
    queryFn: ({ pageParam }) =>
      answerOf(
        api.GET("/api/v1/conversations/{conversation_id}/turns", {
          params: { path: { conversation_id: conversationId }, query: { limit: PAGE, cursor: pageParam } },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
  });
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  return query;
}

export function useRename() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, title }: { id: string; title: string }) =>
      answerOf(
        api.PATCH("/api/v1/conversations/{conversation_id}", {
          params: { path: { conversation_id: id } },
          body: { title },
        }),
      ),
    onSuccess: (changed) =>
      queries.setQueryData<Pages>(LIST, (pages) =>
        withConversations(pages, (conversation) =>
          conversation.conversation_id === changed.conversation_id
            ? { ...conversation, title: changed.title }
            : conversation,
        ),
      ),
  });
}

export function useDelete() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (conversation_id: string) =>
      answerOf(api.DELETE("/api/v1/conversations/{conversation_id}", { params: { path: { conversation_id } } })),
    onSuccess: (_, id) =>
      queries.setQueryData<Pages>(LIST, (pages) =>
        withConversations(pages, (conversation) => (conversation.conversation_id === id ? null : conversation)),
      ),
  });
}

function withConversations(pages: Pages | undefined, change: (conversation: Conversation) => Conversation | null) {
  if (!pages) return undefined;
  const changed = pages.pages.map((page) => ({
    ...page,
    conversations: page.conversations.map(change).filter((conversation) => conversation !== null),
  }));
  return { ...pages, pages: changed };
}
