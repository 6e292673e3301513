/** A turn's events over SSE, followed across broken connections without a gap or a repeat. */
import { createParser } from "eventsource-parser";
import { send } from "./client";
import { ApiProblem, asProblem } from "./problem";
import type { components } from "./schema";

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
  | ({ type: "done" } & S["DoneEvent"])
  | ({ type: "error" } & S["ErrorEvent"]);

export type Connection = "live" | "reconnecting";
export type Question = S["ChatBody"];

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** Silence longer than two heartbeats (15 s each) means a dead connection. */
const SILENCE_MS = 40_000;

export interface Follow {
  /** The number behind which events are wanted. */
  after: number;
  signal: AbortSignal;
  onConnection: (connection: Connection) => void;
  send?: typeof send;
  pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** Asks, and yields the new turn's events. The same `key` asks once, however often it is sent. Raises ApiProblem. */
export async function* askAndFollow(question: Question, key: string, follow: Follow): AsyncGenerator<TurnEvent> {
  let turnId = "";
  yield* followed(
    follow,
    (request, after) => {
      if (turnId) return request(eventsPath(turnId), resumed(after));
      return request("/api/v1/chat", {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": key },
        body: JSON.stringify(question),
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
      for await (const event of parsed(response, follow.signal)) {
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

async function* parsed(response: Response, signal: AbortSignal): AsyncGenerator<TurnEvent> {
  if (!response.body) throw new ApiProblem(0, "offline", "The answer has no body.");
  const waiting: TurnEvent[] = [];
  const parser = createParser({
    onEvent: (message) => waiting.push({ type: message.event, ...JSON.parse(message.data) }),
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    while (!signal.aborted) {
      const { done, value } = await inTime(reader.read());
      if (done) return;
      parser.feed(value);
      yield* waiting.splice(0);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function inTime<T>(reading: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ApiProblem(0, "offline", "The connection went silent.")), SILENCE_MS);
  });
  try {
    return await Promise.race([reading, silence]);
  } finally {
    clearTimeout(timer);
  }
}

function eventsPath(turnId: string): string {
  return `/api/v1/turns/${encodeURIComponent(turnId)}/events`;
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
