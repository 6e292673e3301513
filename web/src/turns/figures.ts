/** What is shown of how a turn was answered, wherever it comes from. Pure. */
import type { Schemas } from "@/api/client";

export type Stage = Schemas["StageFields"];

export interface TurnFigures {
  state: Schemas["TurnAnswer"]["state"];
  plan: Schemas["ExecutionPlan"] | null;
  stages: readonly Stage[];
  sources: readonly Schemas["Source"][];
  retrievalMode: Schemas["TurnAnswer"]["retrieval_mode"];
  usage: {
    model: string;
    modelCalls: number;
    toolCalls: number;
    inputTokens: number;
    outputTokens: number;
    cost: number;
  } | null;
  traceId: string;
}

export function figuresOfTrace(turn: Schemas["TurnAnswer"]): TurnFigures {
  const { usage } = turn;
  return {
    state: turn.state,
    plan: turn.plan ?? null,
    stages: turn.stages,
    sources: turn.sources,
    retrievalMode: turn.retrieval_mode,
    usage: {
      model: usage.model,
      modelCalls: usage.model_calls,
      toolCalls: usage.tool_calls,
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      cost: usage.cost,
    },
    traceId: turn.trace_id,
  };
}

export interface Bar {
  stage: Stage;
  /** Shares of the whole, 0 to 1. */
  left: number;
  width: number;
  durationMs: number;
}

/** The stages drawn to one scale, by start; one that still runs reaches to `now` (milliseconds since the epoch). */
export function timeline(stages: readonly Stage[], now: number): { bars: Bar[]; totalMs: number } {
  const spans = stages
    .flatMap((stage) => {
      if (!stage.started_at) return [];
      const start = Date.parse(stage.started_at);
      const durationMs = stage.state === "STARTED" ? Math.max(0, now - start) : stage.duration_ms;
      return [{ stage, start, durationMs }];
    })
    .sort((one, other) => one.start - other.start);
  const begin = spans[0]?.start ?? 0;
  const totalMs = Math.max(1, ...spans.map(({ start, durationMs }) => start + durationMs - begin));
  const bars = spans.map(({ stage, start, durationMs }) => ({
    stage,
    left: (start - begin) / totalMs,
    width: durationMs / totalMs,
    durationMs,
  }));
  return { bars, totalMs };
}
