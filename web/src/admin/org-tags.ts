import { useQuery } from "@tanstack/react-query";
import { answerOf, api } from "@/api/client";

export const ORG_TAGS = ["admin", "org-tags"] as const;

/** The whole tree as a flat list, by code. */
export function useOrgTags() {
  return useQuery({
    queryKey: ORG_TAGS,
    queryFn: async () => (await answerOf(api.GET("/api/v1/admin/org-tags"))).org_tags,
  });
}
