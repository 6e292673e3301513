/** The list's filters, kept in the address so that a reload or a link shows the same. */
import type { Document } from "./following";
import { type DocumentState, UNFINISHED } from "./state-words";
import { isHeld } from "./waiting";

export const GROUPS = ["all", "unfinished", "held", "ready", "failed"] as const;
export type Group = (typeof GROUPS)[number];

export interface Filters {
  group: Group;
  query: string;
  domain: string;
}

const STATES: Record<Group, readonly DocumentState[]> = {
  all: [],
  unfinished: UNFINISHED,
  // Those that wait for their owner stand in it, and a few that pass through.
  held: ["PARSED"],
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

/** Whether a document of the group's states belongs to it. */
export function belongsTo(group: Group, document: Document): boolean {
  return group !== "held" || isHeld(document);
}

export function statesOf(group: Group): DocumentState[] {
  return [...STATES[group]];
}
