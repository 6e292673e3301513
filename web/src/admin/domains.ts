import { useQuery } from "@tanstack/react-query";
import { answerOf, api, type Schemas } from "@/api/client";

export type ManagedDomain = Schemas["ManagedDomainAnswer"];
export type ListedDomain = Schemas["DomainAnswer"];

export const DOMAINS = ["admin", "domains"] as const;

/** A domain that somebody described, with the documents of it that the administrator can read. */
export interface DescribedDomain extends ManagedDomain {
  documents: number;
  titles: string[];
}

export interface Domains {
  described: DescribedDomain[];
  /** Codes that documents carry and nobody described, most documents first. */
  undescribed: ListedDomain[];
}

/** What administrators keep beside what documents carry. */
export function sorted(managed: readonly ManagedDomain[], listed: readonly ListedDomain[]): Domains {
  const byCode = new Map(listed.map((domain) => [domain.code, domain]));
  const kept = new Set(managed.map((domain) => domain.code));
  return {
    described: managed.map((domain) => ({
      ...domain,
      documents: byCode.get(domain.code)?.document_count ?? 0,
      titles: byCode.get(domain.code)?.sample_titles ?? [],
    })),
    undescribed: listed
      .filter((domain) => domain.code && domain.document_count > 0 && !kept.has(domain.code))
      .toSorted((one, other) => other.document_count - one.document_count),
  };
}

export function useDomains() {
  return useQuery({
    queryKey: DOMAINS,
    queryFn: async () => {
      const [managed, listed] = await Promise.all([
        answerOf(api.GET("/api/v1/admin/domains")),
        answerOf(api.GET("/api/v1/domains")),
      ]);
      return sorted(managed.domains, listed.domains);
    },
  });
}
