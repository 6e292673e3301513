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

interface Failure {
  reason: string;
  message: string;
  retryable: boolean;
  /** When it may go better, where the server says it. */
  retryAfterSeconds: number | null;
  problem: ApiProblem | null;
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
  mode: Schemas["ExecutionPlan"]["mode"];
  plan: Schemas["ExecutionPlan"] | null;
  clarify: Schemas["ClarifyFields"] | null;
  sources: readonly Schemas["Source"][];
  retrievalMode: Schemas["SourcesEvent"]["retrieval_mode"];
  followUps: readonly string[];
  usage: Schemas["UsageEvent"] | null;
  degraded: readonly Schemas["DegradedFields"][];
  failure: Failure | null;
  /** Place in the queue of a busy model. */
  queue: { position: number; model: string } | null;
  /** Id of the turn whose place this one takes; empty when it takes none. */
  replaces: string;
  /** What stood in its place, shown as long as this turn has said nothing. */
  former: TurnView | null;
  /** The last attempt to answer this turn anew, when it ended without a word. */
  again: { question: string; failure: Failure | null } | null;
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
    mode: "UNSPECIFIED",
    plan: null,
    clarify: null,
    sources: [],
    retrievalMode: "UNSPECIFIED",
    followUps: [],
    usage: null,
    degraded: [],
    failure: null,
    queue: null,
    replaces: "",
    former: null,
    again: null,
  };
}

/** Ways of searching that leave a channel out. */
const PARTIAL: ReadonlySet<string> = new Set(["TEXT_ONLY", "VECTOR_ONLY"]);

const storedViews = new WeakMap<Schemas["StoredTurnAnswer"], TurnView>();

/** What memory knows of a turn that failed. */
const INTERRUPTED: Failure = {
  reason: "interrupted",
  message: "",
  retryable: true,
  retryAfterSeconds: null,
  problem: null,
};

/** A turn as memory keeps it. The same view for the same turn: hundreds of answers are not drawn anew with each page. */
export function storedTurn(conversationId: string, turn: Schemas["StoredTurnAnswer"]): TurnView {
  const known = storedViews.get(turn);
  if (known) return known;
  const view = viewOfStored(conversationId, turn);
  storedViews.set(turn, view);
  return view;
}

function viewOfStored(conversationId: string, turn: Schemas["StoredTurnAnswer"]): TurnView {
  return {
    ...newTurn(turn.turn_id, conversationId, turn.question),
    turnId: turn.turn_id,
    phase: turn.state === "FAILED" ? "failed" : "done",
    finishReason: turn.finish_reason,
    mode: turn.mode,
    text: turn.answer,
    clarify: turn.clarify ?? null,
    sources: turn.sources,
    retrievalMode: turn.retrieval_mode,
    degraded: PARTIAL.has(turn.retrieval_mode) ? [{ tier: turn.retrieval_mode, reason: "" }] : [],
    failure: turn.state === "FAILED" ? INTERRUPTED : null,
  };
}

/** Whether there is an answer, or a question back: from then on it stands in the place of what it replaces. */
export function saysSomething({ text, clarify }: TurnView): boolean {
  return text !== "" || clarify !== null;
}

export function isOver({ phase }: TurnView): boolean {
  return phase === "done" || phase === "failed";
}

/** What tells a turn from others, by its id as soon as it has one. */
export function keyOf({ turnId, key }: TurnView): string {
  return turnId || key;
}

/** Whether the answer was stopped; it was whole when follow-ups were being thought of. */
export function wasStopped({ finishReason, stages }: TurnView): boolean {
  return finishReason === "cancelled" && !stages.some(({ name }) => name === "follow_ups");
}

/** The view after an event. */
export function applied(view: TurnView, event: TurnEvent): TurnView {
  if (event.type === "queued") return { ...view, queue: { position: event.position, model: event.model } };
  // Searches go on beside a call that waits for its model; anything else that is heard comes from the model.
  const waits = event.type === "stage" && event.state === "STARTED";
  return told(view.queue && !waits ? { ...view, queue: null } : view, event);
}

function told(view: TurnView, event: TurnEvent): TurnView {
  switch (event.type) {
    case "accepted":
      return { ...view, turnId: event.turn_id, conversationId: event.conversation_id, phase: "running" };
    case "stage":
      return { ...view, stages: withStage(view.stages, event) };
    case "plan":
      return { ...view, plan: event, mode: event.mode };
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
      const { reason, message, retryable, retry_after } = event;
      const failure = { reason, message, retryable, retryAfterSeconds: retry_after ?? null, problem: null };
      return { ...view, phase: "failed", failure };
    }
    default:
      // Newer servers may send more; what is not known is not shown.
      return view;
  }
}

/** The view of a turn whose request or stream failed for good. */
export function broken(view: TurnView, problem: ApiProblem): TurnView {
  const { reason, detail: message, retryAfterSeconds, mayPass: retryable } = problem;
  return { ...view, phase: "failed", failure: { reason, message, retryable, retryAfterSeconds, problem } };
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
  | "queued"
  | "retrieving"
  | "tool"
  | "writing"
  | "following_up"
  | "saving"
  | "reconnecting";

/** What a running turn is doing now; null when it has ended. */
export function activityOf(view: TurnView): Activity | null {
  if (isOver(view)) return null;
  if (view.connection === "reconnecting") return "reconnecting";
  if (view.phase === "asking") return "sending";
  if (view.queue) return "queued";
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
