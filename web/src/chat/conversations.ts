/** The person's conversations and their stored turns, as the server has them. */
import {
  type InfiniteData,
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useEffect } from "react";
import { answerOf, api, type Schemas, send } from "@/api/client";
import { saveAs } from "@/shared/save-as";
import { onChangeElsewhere, tellElsewhere } from "./elsewhere";

export type Conversation = Schemas["ConversationAnswer"];

const LIST = ["conversations"] as const;
const PAGE = 100;

type Pages = InfiniteData<Schemas["ConversationsAnswer"], string>;

/** Conversations, latest first, page by page; with `search` those whose title or messages hold it. */
export function useConversations(search = "") {
  return useInfiniteQuery({
    queryKey: [...LIST, search],
    initialPageParam: "",
    queryFn: ({ pageParam }) =>
      answerOf(
        api.GET("/api/v1/conversations", { params: { query: { query: search, limit: PAGE, cursor: pageParam } } }),
      ),
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  });
}

/** One conversation: from the list, or asked for when it is not on the pages that were read. */
export function useConversation(conversationId: string): Conversation | undefined {
  const list = useConversations();
  const listed = list.data?.pages
    .flatMap((page) => page.conversations)
    .find(({ conversation_id }) => conversation_id === conversationId);
  const one = useQuery({
    queryKey: ["conversation", conversationId],
    enabled: conversationId !== "" && list.isSuccess && !listed,
    queryFn: () =>
      answerOf(
        api.GET("/api/v1/conversations/{conversation_id}", { params: { path: { conversation_id: conversationId } } }),
      ),
  });
  return listed ?? one.data;
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

/** Changes title or memory strategy. */
export function useChange() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, change }: { id: string; change: Schemas["ConversationChangeBody"] }) =>
      answerOf(
        api.PATCH("/api/v1/conversations/{conversation_id}", {
          params: { path: { conversation_id: id } },
          body: change,
        }),
      ),
    onSuccess: (changed) => {
      const { conversation_id: id } = changed;
      changeLists(queries, (each) => (each.conversation_id === id ? { ...each, ...changed } : each));
      queries.setQueryData(["conversation", id], changed);
      tellElsewhere(id);
    },
  });
}

export function useDelete() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (conversation_id: string) =>
      answerOf(api.DELETE("/api/v1/conversations/{conversation_id}", { params: { path: { conversation_id } } })),
    onSuccess: (_, id) => {
      changeLists(queries, (each) => (each.conversation_id === id ? null : each));
      tellElsewhere(id);
    },
  });
}

function changeLists(queries: QueryClient, change: (conversation: Conversation) => Conversation | null) {
  queries.setQueriesData<Pages>({ queryKey: LIST }, (pages) => {
    if (!pages) return undefined;
    const changed = pages.pages.map((page) => ({
      ...page,
      conversations: page.conversations.map(change).filter((conversation) => conversation !== null),
    }));
    return { ...pages, pages: changed };
  });
}

/** Reads again what other tabs change. */
export function followElsewhere(queries: QueryClient): void {
  onChangeElsewhere((id) => {
    void queries.invalidateQueries({ queryKey: LIST });
    void queries.invalidateQueries({ queryKey: ["conversation", id] });
  });
}

export type ExportFormat = "markdown" | "json";

/** Hands a whole conversation to the browser as a file. Raises ApiProblem. */
export async function exportConversation({ conversation_id, title }: Conversation, format: ExportFormat) {
  const path = `/api/v1/conversations/${encodeURIComponent(conversation_id)}/export?format=${format}`;
  const content = await (await send(path, {})).blob();
  saveAs(content, `${fileName(title) || conversation_id}.${format === "json" ? "json" : "md"}`);
}

/** A title as a file may be called. */
export function fileName(title: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  const plain = title.replace(/[\s\\/:*?"<>|\u0000-\u001f]+/g, " ").replace(/^[ .]+/, "");
  return Array.from(plain).slice(0, 80).join("").trim();
}
