import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { answerOf, api, type Schemas } from "@/api/client";

export type ListedUser = Schemas["ListedUserAnswer"];
type UsersPages = InfiniteData<Schemas["UsersAnswer"], string | undefined>;

const USERS = ["admin", "users"] as const;
const PAGE_SIZE = 50;

/** People whose username holds `query`, oldest account first, page by page. */
export function useUsers(query: string) {
  return useInfiniteQuery({
    queryKey: [...USERS, query],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET("/api/v1/admin/users", { params: { query: { query, limit: PAGE_SIZE, cursor: pageParam } }, signal }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

export function isAdministrator(user: ListedUser): boolean {
  return user.roles.includes("admin");
}

/** Shows what a change made of somebody, in every list that has them. */
export function useShowChanged(): (user: ListedUser) => void {
  const queries = useQueryClient();
  return (changed) => {
    queries.setQueriesData<UsersPages>({ queryKey: USERS }, (data) =>
      data
        ? {
            ...data,
            pages: data.pages.map((page) => ({
              ...page,
              users: page.users.map((user) => (user.id === changed.id ? changed : user)),
            })),
          }
        : data,
    );
  };
}
