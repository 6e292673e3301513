/** The list's filters, kept in the address so that a reload or a link shows the same. */
import { type DocumentState, UNFINISHED } from "./state-words";

export const GROUPS = ["all", "unfinished", "ready", "failed"] as const;
export type Group = (typeof GROUPS)[number];

export interface Filters {
  group: Group;
  query: string;
  domain: string;
}

const STATES: Record<Group, readonly DocumentState[]> = {
  all: [],
  unfinished: UNFINISHED,
  ready: ["READY"],
  failed: ["FAILED"],
};

export function filtersOf(parameters: URLSearchParams): Filters {
  const group = GROUPS.find((name) => name === parameters.get("state")) ?? "all";
  return { group, query: parameters.get("query") ?? "", domain: parameters.get("domain") ?? "" };
}

export function parametersOf({ group, query, domain }: Filters): URLSearchParams {
  const parameters = new URLSearchParams();
  if (group !== "all") parameters.set("state", group);
  if (query) parameters.set("query", query);
  if (domain) parameters.set("domain", domain);
  return parameters;
}

export function areSet({ group, query, domain }: Filters): boolean {
  return group !== "all" || query !== "" || domain !== "";
}

export function statesOf(group: Group): DocumentState[] {
  return [...STATES[group]];
}
