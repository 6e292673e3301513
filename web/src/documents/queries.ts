/** Documents on the server: read, followed while they are processed, deleted. */
import {
  type InfiniteData,
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { answerOf, api, type Schemas } from "@/api/client";
import { asProblem } from "@/api/problem";
import { type Filters, statesOf } from "./filters";
import { type Document, pollPause, settledMeanwhile, withChanges } from "./following";
import { isSettled, UNFINISHED } from "./state-words";
import { isHeld } from "./waiting";

type Listed = InfiniteData<Schemas["DocumentsAnswer"], string>;

const PAGE = 30;
const MOST = 200;
const LIST = ["documents", "list"] as const;
const one = (id: string) => ["documents", "one", id] as const;

function documentOf(id: string): Promise<Document> {
  return answerOf(api.GET("/api/v1/documents/{document_id}", { params: { path: { document_id: id } } }));
}

/** Own documents, newest first, page by page. */
export function useDocuments({ group, query, domain }: Filters) {
  return useInfiniteQuery({
    queryKey: [...LIST, group, query, domain],
    queryFn: ({ pageParam }) => {
      const asked = { state: statesOf(group), query, domain_code: domain, limit: PAGE, cursor: pageParam };
      return answerOf(api.GET("/api/v1/documents", { params: { query: asked } }));
    },
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: keepPreviousData,
  });
}

/** Looks at unfinished documents again and again, as long as some are shown, and changes the lists accordingly. */
export function useFollowed(shown: readonly Document[]) {
  const queries = useQueryClient();
  return useQuery({
    queryKey: ["documents", "unfinished"],
    queryFn: () => follow(queries, shown),
    enabled: shown.some((document) => !isSettled(document.state)),
    refetchInterval: (query) => pollPause(document.hidden || shown.every(isQuiet), query.state.status === "error"),
    refetchIntervalInBackground: true,
    retry: 1,
    staleTime: 0,
  });
}

/** Nothing happens to it unless a person does something. */
function isQuiet(document: Document): boolean {
  return isSettled(document.state) || isHeld(document);
}

async function follow(queries: QueryClient, shown: readonly Document[]): Promise<number> {
  const asked = { state: [...UNFINISHED], limit: MOST };
  const unfinished = await answerOf(api.GET("/api/v1/documents", { params: { query: asked } }));
  const changed = new Map(unfinished.documents.map((document) => [document.id, document]));
  const gone = new Set<string>();
  for (const id of settledMeanwhile(shown, unfinished)) {
    try {
      changed.set(id, await documentOf(id));
    } catch (error) {
      if (asProblem(error).status !== 404) throw error;
      gone.add(id);
    }
  }
  changeLists(queries, changed, gone);
  // A document that became ready may be the first of its domain.
  if ([...changed.values()].some((document) => document.state === "READY"))
    void queries.invalidateQueries({ queryKey: ["domains"] });
  return changed.size;
}

function changeLists(queries: QueryClient, changed: ReadonlyMap<string, Document>, gone: ReadonlySet<string>): void {
  queries.setQueriesData<Listed>(
    { queryKey: LIST },
    (listed) => listed && { ...listed, pages: withChanges(listed.pages, changed, gone) },
  );
}

/** To be called when there are new documents. */
export function useListAgain(): () => void {
  const queries = useQueryClient();
  return () => void queries.invalidateQueries({ queryKey: LIST });
}

/** One document, looked at again until it is settled. */
export function useDocument(id: string) {
  return useQuery({
    queryKey: one(id),
    queryFn: () => documentOf(id),
    refetchInterval: (query) => {
      const { data, status } = query.state;
      if (data === undefined || isSettled(data.state)) return false;
      return pollPause(document.hidden || isHeld(data), status === "error");
    },
    refetchIntervalInBackground: true,
  });
}

/** A document's log; `version` changes whenever there may be more of it. */
export function useDocumentLog(id: string, version: string) {
  return useQuery({
    queryKey: ["documents", "log", id, version],
    queryFn: () => answerOf(api.GET("/api/v1/documents/{document_id}/log", { params: { path: { document_id: id } } })),
    placeholderData: keepPreviousData,
  });
}

/** Deletes a document: shown as being deleted until the server has done it, and as before when it could not. */
export function useDeletion() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (target: Document) => {
      try {
        await answerOf(api.DELETE("/api/v1/documents/{document_id}", { params: { path: { document_id: target.id } } }));
      } catch (error) {
        // Gone is what was wanted.
        if (asProblem(error).status !== 404) throw error;
      }
    },
    onMutate: (target) => changeLists(queries, new Map([[target.id, { ...target, state: "DELETING" }]]), new Set()),
    onSuccess: (_, target) => {
      changeLists(queries, new Map(), new Set([target.id]));
      queries.removeQueries({ queryKey: one(target.id) });
      void queries.invalidateQueries({ queryKey: ["domains"] });
    },
    onError: () => queries.invalidateQueries({ queryKey: LIST }),
  });
}

/** Changes a document: the answer is shown wherever the document is. */
function useChange<Change>(change: (change: Change) => Promise<Document>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (now) => {
      queries.setQueryData(one(now.id), now);
      changeLists(queries, new Map([[now.id, now]]), new Set());
      void queries.invalidateQueries({ queryKey: LIST });
    },
  });
}

/** Has a document processed again. */
export function useReprocessing() {
  return useChange((id: string) =>
    answerOf(api.POST("/api/v1/documents/{document_id}/reprocess", { params: { path: { document_id: id } } })),
  );
}

/** Confirms or changes how a document is cut. */
export function useStrategyChoice(id: string) {
  return useChange((strategy: string) => {
    const params = { path: { document_id: id } };
    return answerOf(api.POST("/api/v1/documents/{document_id}/strategy", { params, body: { strategy } }));
  });
}

/** Changes what is said of a document. */
export function useEditing(id: string) {
  return useChange((body: Schemas["DocumentChanges"]) =>
    answerOf(api.PATCH("/api/v1/documents/{document_id}", { params: { path: { document_id: id } }, body })),
  );
}

/** Has an address fetched as a document; gives the document's id. */
export function useImport() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ key, body }: { key: string; body: Schemas["ImportBody"] }) => {
      const params = { header: { "idempotency-key": key } };
      return (await answerOf(api.POST("/api/v1/documents/import", { params, body }))).document_id;
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: LIST }),
  });
}

/** Domains that are there for the person; none until they are known. */
export function useDomains(): readonly Schemas["DomainAnswer"][] {
  return useDomainsAnswer() ?? [];
}

/** Whether the person can find anything at all; undefined until it is known. */
export function useHasReadable(): boolean | undefined {
  return useDomainsAnswer()?.some((domain) => domain.document_count > 0);
}

function useDomainsAnswer(): Schemas["DomainAnswer"][] | undefined {
  return useQuery({ queryKey: ["domains"], queryFn: () => answerOf(api.GET("/api/v1/domains")) }).data?.domains;
}
