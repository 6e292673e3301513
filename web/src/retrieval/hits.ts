/** What became of each channel's hits. */
import type { Schemas } from "@/api/client";

type Preview = Schemas["PreviewAnswer"];
export type Hit = Schemas["ChannelHit"];

/** Reasons for which a hit does not count, or is not shown although it counts. */
export const DROP_REASONS = ["below_floor", "inactive_generation", "same_source", "over_top_k", "over_budget"] as const;
export type DropReason = (typeof DROP_REASONS)[number];

export type Fate =
  | { kind: "shown"; citation: number }
  | { kind: "dropped"; reason: string }
  /** It counts, but is not shown by itself: outranked, or joined to its neighbour. */
  | { kind: "outranked" };

export function fateOf(hit: Hit, evidence: Preview["evidence"]): Fate {
  const shown = evidence.find((each) => each.parent_id === hit.parent_id);
  if (hit.dropped) return { kind: "dropped", reason: hit.dropped };
  return shown ? { kind: "shown", citation: shown.citation_id } : { kind: "outranked" };
}

/** Hits by channel, each by variant and rank. */
export function byChannel(hits: readonly Hit[]): [channel: string, hits: Hit[]][] {
  const channels = new Map<string, Hit[]>();
  for (const hit of hits) channels.set(hit.channel, [...(channels.get(hit.channel) ?? []), hit]);
  for (const found of channels.values()) found.sort((a, b) => a.variant - b.variant || a.rank - b.rank);
  return [...channels];
}

/** A bar of the timings: milliseconds from the beginning. */
export interface Span {
  name: "embed" | "vector" | "keyword" | "own";
  lane: number;
  from: number;
  to: number;
}

/** When each step ran: the channels beside each other, embedding before the vector engine, the rest at the end. */
export function spansOf(timings: Preview["timings"]): { spans: Span[]; total: number } {
  const { embed_ms: embed, vector_ms: vector, keyword_ms: keyword, own_ms: own } = timings;
  const total = Math.max(timings.total_ms, Math.max(embed + vector, keyword) + own);
  const spans: Span[] = [
    { name: "embed", lane: 0, from: 0, to: embed },
    { name: "vector", lane: 0, from: embed, to: embed + vector },
    { name: "keyword", lane: 1, from: 0, to: keyword },
    { name: "own", lane: 2, from: total - own, to: total },
  ];
  return { spans: spans.filter((span) => span.to > span.from), total };
}
