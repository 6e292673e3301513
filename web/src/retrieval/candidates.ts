/** What each candidate's place is made of. */
import type { Schemas } from "@/api/client";

export type Candidate = Schemas["SearchCandidate"];
type Part = Candidate["parts"][number];

/** `bonus`: all rules' bonuses together. */
export type Source = "vector" | "keyword" | "outline" | "bonus";

export interface Contribution {
  source: Source;
  value: number;
}

const SOURCES: readonly Source[] = ["vector", "keyword", "outline", "bonus"];

/**
 * The fused score by what it comes from; the values sum up to it, and the worst hit of a channel adds 0. Where several lists were fused by rank, what a list
 * adds is shared among its channels as they made up the list.
 */
export function contributions({ parts, bonuses }: Candidate): Contribution[] {
  const sums = new Map<string, number>();
  const add = (source: string, value: number) => sums.set(source, (sums.get(source) ?? 0) + value);
  for (const list of parts.filter(isWhole)) {
    const channels = parts.filter((part) => part.list === list.list && !isWhole(part));
    const total = channels.reduce((sum, { value }) => sum + value, 0);
    for (const { channel, value } of channels)
      add(channel, list.value * (total > 0 ? value / total : 1 / channels.length));
  }
  for (const { value } of bonuses) add("bonus", value);
  return SOURCES.flatMap((source) => {
    const value = sums.get(source);
    return value === undefined ? [] : [{ source, value }];
  });
}

/** A list's own place among all lists. */
export function isWhole(part: Part): boolean {
  return part.channel === "";
}

/** How scores came about: by shares within one list, by ranks within one list, or by ranks among several. */
export function methodOf(candidates: readonly Candidate[], method: string): "weighted" | "ranks" | "lists" {
  const lists = new Set(candidates.flatMap(({ parts }) => parts.map(({ list }) => list)));
  if (lists.size > 1) return "lists";
  return method === "weighted" && !lists.has("outline") ? "weighted" : "ranks";
}

/** The parts that say something: a list's own place is the sum itself when there is one list only. */
export function summands(parts: readonly Part[], several: boolean): Part[] {
  return parts.filter((part) => several || !isWhole(part));
}
