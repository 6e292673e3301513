/** What is shown of a turn, made of its events. Pure. */
import type { Schemas } from "@/api/client";
import type { ApiProblem } from "@/api/problem";
import type { Connection, TurnEvent } from "@/api/turn-events";

export interface ToolStep {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  result: { ok: boolean; summary: string; durationMs: number } | null;
}

export type TurnPhase = "asking" | "running" | "done" | "failed";

export interface TurnView {
  /** Stays the same while the turn has no id yet. */
  key: string;
  turnId: string;
  conversationId: string;
  question: string;
  phase: TurnPhase;
  connection: Connection;
  finishReason: string;
  text: string;
  thinking: string;
  stages: readonly Schemas["StageFields"][];
  tools: readonly ToolStep[];
  plan: Schemas["ExecutionPlan"] | null;
  clarify: Schemas["ClarifyFields"] | null;
  sources: readonly Schemas["Source"][];
  retrievalMode: Schemas["SourcesEvent"]["retrieval_mode"];
  followUps: readonly string[];
  usage: Schemas["UsageEvent"] | null;
  degraded: readonly Schemas["DegradedFields"][];
  failure: { reason: string; message: string; retryable: boolean; problem: ApiProblem | null } | null;
}

export function newTurn(key: string, conversationId: string, question: string): TurnView {
  return {
    key,
    turnId: "",
    conversationId,
    question,
    phase: "asking",
    connection: "live",
    finishReason: "",
    text: "",
    thinking: "",
    stages: [],
    tools: [],
    plan: null,
    clarify: null,
    sources: [],
    retrievalMode: "UNSPECIFIED",
    followUps: [],
    usage: null,
    degraded: [],
    failure: null,
  };
}

/** A turn as memory keeps it. */
export function storedTurn(conversationId: string, turn: Schemas["StoredTurnAnswer"]): TurnView {
  return {
    ...newTurn(turn.turn_id, conversationId, turn.question),
    turnId: turn.turn_id,
    phase: turn.state === "FAILED" ? "failed" : "done",
    finishReason: turn.finish_reason,
    text: turn.answer,
    clarify: turn.clarify ?? null,
    sources: turn.sources,
    retrievalMode: turn.retrieval_mode,
    failure: turn.state === "FAILED" ? { reason: "interrupted", message: "", retryable: true, problem: null } : null,
  };
}

/** The view after an event. */
export function applied(view: TurnView, event: TurnEvent): TurnView {
  switch (event.type) {
    case "accepted":
      return { ...view, turnId: event.turn_id, conversationId: event.conversation_id, phase: "running" };
    case "stage":
      return { ...view, stages: withStage(view.stages, event) };
    case "plan":
      return { ...view, plan: event };
    case "clarify":
      return { ...view, clarify: event };
    case "thinking":
      return { ...view, thinking: view.thinking + event.text };
    case "delta":
      return { ...view, text: view.text + event.text };
    case "tool_call": {
      const step: ToolStep = { id: event.id, name: event.name, arguments: event.arguments, result: null };
      return { ...view, tools: [...view.tools, step] };
    }
    case "tool_result": {
      const result = { ok: event.ok, summary: event.summary, durationMs: event.duration_ms };
      return { ...view, tools: view.tools.map((step) => (step.id === event.id ? { ...step, result } : step)) };
    }
    case "sources":
      return { ...view, sources: event.sources, retrievalMode: event.retrieval_mode };
    case "follow_ups":
      return { ...view, followUps: event.questions };
    case "usage":
      return { ...view, usage: event };
    case "degraded":
      return { ...view, degraded: [...view.degraded, { tier: event.tier, reason: event.reason }] };
    case "done":
      return { ...view, phase: "done", finishReason: event.finish_reason };
    case "error": {
      const { reason, message, retryable } = event;
      return { ...view, phase: "failed", failure: { reason, message, retryable, problem: null } };
    }
    default:
      // Newer servers may send more; what is not known is not shown.
      return view;
  }
}

/** The view of a turn whose request or stream failed for good. */
export function broken(view: TurnView, problem: ApiProblem): TurnView {
  const { reason, detail: message } = problem;
  return { ...view, phase: "failed", failure: { reason, message, retryable: problem.mayPass, problem } };
}

function withStage(stages: TurnView["stages"], stage: Schemas["StageFields"]): TurnView["stages"] {
  const begun = stages.findIndex(
    (other) => other.name === stage.name && other.state === "STARTED" && other.started_at === stage.started_at,
  );
  return begun < 0 ? [...stages, stage] : stages.with(begun, stage);
}

export type Activity =
  | "sending"
  | "remembering"
  | "planning"
  | "retrieving"
  | "tool"
  | "writing"
  | "following_up"
  | "saving"
  | "reconnecting";

/** What a running turn is doing now; null when it has ended. */
export function activityOf(view: TurnView): Activity | null {
  if (view.phase === "done" || view.phase === "failed") return null;
  if (view.connection === "reconnecting") return "reconnecting";
  if (view.phase === "asking") return "sending";
  if (view.tools.some((step) => step.result === null)) return "tool";
  const last = view.stages.at(-1);
  switch (last?.name) {
    case undefined:
      return "remembering";
    case "load_memory":
    case "rewrite":
      return "planning";
    case "outline":
    case "retrieve":
    case "rerank":
      return last.state === "STARTED" ? "retrieving" : "writing";
    case "plan":
      return view.plan?.use_knowledge ? "retrieving" : "writing";
    case "follow_ups":
      return "following_up";
    case "archive":
      return last.state === "STARTED" ? "saving" : "following_up";
    default:
      return "writing";
  }
}
