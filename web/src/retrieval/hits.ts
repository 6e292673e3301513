/** What became of each channel's hits. */
import type { Schemas } from "@/api/client";
import type { Candidate } from "./candidates";

type Preview = Schemas["PreviewAnswer"];
export type Hit = Schemas["ChannelHit"];

/** Reasons for which a hit does not count, or is not shown although it counts. */
export const DROP_REASONS = [
  "below_floor",
  "inactive_generation",
  "only_hinted",
  "unrelated",
  "same_text",
  "same_source",
  "over_top_k",
  "over_budget",
] as const;

export type Fate = { kind: "shown"; citation: number } | { kind: "dropped"; reason: string };

export function fateOfCandidate({ citation_id: citation, dropped }: Candidate): Fate {
  return citation == null ? { kind: "dropped", reason: dropped } : { kind: "shown", citation };
}

/** A hit that counts became a candidate, unless only the hints speak for it. */
export function fateOf(hit: Hit, candidates: readonly Candidate[]): Fate {
  if (hit.dropped) return { kind: "dropped", reason: hit.dropped };
  const candidate = candidates.find((each) => each.parent_id === hit.parent_id);
  return candidate ? fateOfCandidate(candidate) : { kind: "dropped", reason: "only_hinted" };
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
  name: "embed" | "vector" | "keyword" | "outline" | "rerank" | "own";
  lane: number;
  from: number;
  to: number;
}

/** When each step ran: the channels beside each other, embedding before the vector engine, the rest at the end. */
export function spansOf(timings: Preview["timings"]): { spans: Span[]; total: number } {
  const { embed_ms: embed, vector_ms: vector, keyword_ms: keyword, own_ms: own } = timings;
  const { outline_ms: outline, rerank_ms: rerank } = timings;
  const total = Math.max(timings.total_ms, Math.max(embed + vector, keyword, outline) + rerank + own);
  const spans: Span[] = [
    { name: "embed", lane: 0, from: 0, to: embed },
    { name: "vector", lane: 0, from: embed, to: embed + vector },
    { name: "keyword", lane: 1, from: 0, to: keyword },
    { name: "outline", lane: 2, from: 0, to: outline },
    { name: "rerank", lane: 3, from: total - own - rerank, to: total - own },
    { name: "own", lane: 3, from: total - own, to: total },
  ];
  const ran = spans.filter((span) => span.to > span.from);
  const lanes = [...new Set(ran.map(({ lane }) => lane))];
  return { spans: ran.map((span) => ({ ...span, lane: lanes.indexOf(span.lane) })), total };
}
