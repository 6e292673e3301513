/** A turn's events over SSE, followed across broken connections without a gap or a repeat. */
import { send } from "./client";
import { asProblem } from "./problem";
import type { components } from "./schema";
import { serverEvents } from "./server-events";

type S = components["schemas"];

export type TurnEvent =
  | ({ type: "accepted" } & S["AcceptedEvent"])
  | ({ type: "stage" } & S["StageEvent"])
  | ({ type: "plan" } & S["PlanEvent"])
  | ({ type: "clarify" } & S["ClarifyEvent"])
  | ({ type: "thinking" } & S["TextEvent"])
  | ({ type: "tool_call" } & S["ToolCallEvent"])
  | ({ type: "tool_result" } & S["ToolResultEvent"])
  | ({ type: "approval_required" } & S["ApprovalRequiredEvent"])
  | ({ type: "delta" } & S["TextEvent"])
  | ({ type: "sources" } & S["SourcesEvent"])
  | ({ type: "follow_ups" } & S["FollowUpsEvent"])
  | ({ type: "usage" } & S["UsageEvent"])
  | ({ type: "degraded" } & S["DegradedEvent"])
  | ({ type: "queued" } & S["QueuedEvent"])
  | ({ type: "done" } & S["DoneEvent"])
  | ({ type: "error" } & S["ErrorEvent"]);

export type Connection = "live" | "reconnecting";
export type Question = S["ChatBody"];

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

export interface Follow {
  /** The number behind which events are wanted. */
  after: number;
  signal: AbortSignal;
  onConnection: (connection: Connection) => void;
  send?: typeof send;
  pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** What begins a turn: where it is sent, and with what. */
export interface Beginning {
  path: string;
  body: object;
}

export function asking(question: Question): Beginning {
  return { path: "/api/v1/chat", body: question };
}

/** Answers in the place of the last turn of a conversation; with `message`, another question. */
export function regenerating(turnId: string, message: string): Beginning {
  return { path: `${turnPath(turnId)}/regenerate`, body: message ? { message } : {} };
}

/** Runs the plan of a turn again, as a new turn of its conversation. */
export function replaying(turnId: string): Beginning {
  return { path: `${turnPath(turnId)}/replay`, body: {} };
}

/** Begins a turn and yields its events. The same `key` begins one, however often it is sent. Raises ApiProblem. */
export async function* beginAndFollow(beginning: Beginning, key: string, follow: Follow): AsyncGenerator<TurnEvent> {
  let turnId = "";
  yield* followed(
    follow,
    (request, after) => {
      if (turnId) return request(eventsPath(turnId), resumed(after));
      return request(beginning.path, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": key },
        body: JSON.stringify(beginning.body),
      });
    },
    (event) => {
      turnId = event.turn_id;
    },
  );
}

/** Events of a turn behind `follow.after`, to its end. Raises ApiProblem. */
export async function* followTurn(turnId: string, follow: Follow): AsyncGenerator<TurnEvent> {
  yield* followed(follow, (request, after) => request(eventsPath(turnId), resumed(after)));
}

type Open = (request: typeof send, after: number) => Promise<Response>;

async function* followed(follow: Follow, open: Open, seen?: (event: TurnEvent) => void): AsyncGenerator<TurnEvent> {
  const request: typeof send = (path, init) => (follow.send ?? send)(path, { ...init, signal: follow.signal });
  const pause = follow.pause ?? pauseOrOnline;
  let after = follow.after;
  let pauseMs = FIRST_PAUSE_MS;
  while (!follow.signal.aborted) {
    try {
      const response = await open(request, after);
      if (response.status === 204) return;
      for await (const event of serverEvents<TurnEvent>(response, follow.signal)) {
        // The end has a lower number for a viewer that saw more than the log ever got.
        const isEnd = event.type === "done" || event.type === "error";
        if (event.sequence <= after && !(isEnd && event.sequence < after)) continue;
        after = event.sequence;
        pauseMs = FIRST_PAUSE_MS;
        follow.onConnection("live");
        seen?.(event);
        yield event;
        if (isEnd) return;
      }
    } catch (error) {
      if (follow.signal.aborted) return;
      const problem = asProblem(error);
      if (problem.status !== 0 && problem.status < 500) throw problem;
      if (problem.reason === "page_fault") throw error;
    }
    if (follow.signal.aborted) return;
    follow.onConnection("reconnecting");
    await pause(pauseMs * (0.75 + Math.random() / 2), follow.signal);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

function turnPath(turnId: string): string {
  return `/api/v1/turns/${encodeURIComponent(turnId)}`;
}

function eventsPath(turnId: string): string {
  return `${turnPath(turnId)}/events`;
}

function resumed(after: number): RequestInit {
  return { headers: { "last-event-id": String(after) } };
}

function pauseOrOnline(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer);
      window.removeEventListener("online", go);
      signal.removeEventListener("abort", go);
      resolve();
    };
    const timer = setTimeout(go, milliseconds);
    window.addEventListener("online", go);
    signal.addEventListener("abort", go);
  });
}
