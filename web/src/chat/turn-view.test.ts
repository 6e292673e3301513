import { describe, expect, it } from "vitest";
import { ApiProblem } from "@/api/problem";
import type { TurnEvent } from "@/api/turn-events";
import { activityOf, applied, broken, newTurn, type TurnView, wasStopped } from "./turn-view";

const AT = "2026-01-01T00:00:00Z";

function event<T extends TurnEvent["type"]>(type: T, fields: object = {}): TurnEvent {
  return { type, turn_id: "t1", sequence: 1, at: AT, ...fields } as unknown as TurnEvent;
}

function viewAfter(...events: TurnEvent[]): TurnView {
  return events.reduce(applied, newTurn("key", "", "Why?"));
}

const accepted = event("accepted", { conversation_id: "c1" });

describe("the view of a turn", () => {
  it("learns its ids, gathers its text and ends", () => {
    const view = viewAfter(
      accepted,
      event("delta", { text: "A" }),
      event("delta", { text: "B" }),
      event("done", { finish_reason: "stop" }),
    );
    expect(view).toMatchObject({ turnId: "t1", conversationId: "c1", text: "AB", phase: "done", finishReason: "stop" });
    expect(activityOf(view)).toBeNull();
  });

  it("puts a stage's end in the place of its beginning", () => {
    const stage = { name: "retrieve", started_at: AT, duration_ms: 0, detail: {} };
    const view = viewAfter(
      accepted,
      event("stage", { ...stage, state: "STARTED" }),
      event("stage", { ...stage, state: "COMPLETED", duration_ms: 5 }),
    );
    expect(view.stages).toHaveLength(1);
    expect(view.stages[0]).toMatchObject({ state: "COMPLETED", duration_ms: 5 });
  });

  it("is stopped, unless only the follow-ups were", () => {
    const done = event("done", { finish_reason: "cancelled" });
    const stage = (name: string) =>
      event("stage", { name, state: "STARTED", started_at: AT, duration_ms: 0, detail: {} });
    expect(wasStopped(viewAfter(accepted, stage("execute"), stage("archive"), done))).toBe(true);
    expect(wasStopped(viewAfter(accepted, stage("execute"), stage("archive"), stage("follow_ups"), done))).toBe(false);
  });

  it("joins a tool's result to its call", () => {
    const call = event("tool_call", { id: "x", name: "calculate", arguments: { expression: "1+1" } });
    const running = viewAfter(accepted, call);
    expect(activityOf(running)).toBe("tool");
    const done = applied(running, event("tool_result", { id: "x", ok: true, summary: "2", duration_ms: 3 }));
    expect(done.tools[0]?.result).toEqual({ ok: true, summary: "2", durationMs: 3 });
    expect(activityOf(done)).not.toBe("tool");
  });

  it("says what it is doing", () => {
    expect(activityOf(newTurn("k", "", "Why?"))).toBe("sending");
    expect(activityOf(viewAfter(accepted))).toBe("remembering");
    const planned = viewAfter(
      accepted,
      event("plan", { use_knowledge: true }),
      event("stage", { name: "plan", state: "COMPLETED", started_at: AT }),
    );
    expect(activityOf(planned)).toBe("retrieving");
    expect(activityOf({ ...planned, connection: "reconnecting" })).toBe("reconnecting");
  });

  it("shows the place in a model's queue until the model is heard", () => {
    const waiting = viewAfter(accepted, event("queued", { position: 3, model: "strong" }));
    expect(waiting.queue).toEqual({ position: 3, model: "strong" });
    expect(activityOf(waiting)).toBe("queued");
    const searching = applied(waiting, event("stage", { name: "retrieve", state: "STARTED", started_at: AT }));
    expect(activityOf(searching)).toBe("queued");
    for (const heard of [event("delta", { text: "A" }), event("plan", { use_knowledge: true }), event("done")])
      expect(applied(waiting, heard).queue).toBeNull();
  });

  it("keeps a failure with its reason", () => {
    const view = viewAfter(accepted, event("error", { reason: "model_down", message: "x", retryable: true }));
    expect(view).toMatchObject({ phase: "failed", failure: { reason: "model_down", retryable: true } });
    expect(view.failure?.retryAfterSeconds).toBeNull();
    const busy = event("error", { reason: "model_queue_full", message: "x", retryable: true, retry_after: 7 });
    expect(viewAfter(accepted, busy).failure?.retryAfterSeconds).toBe(7);
  });

  it("offers to ask again only what may fare better", () => {
    const tooLarge = broken(viewAfter(accepted), new ApiProblem(413, "body_too_large", "x"));
    const offline = broken(viewAfter(accepted), new ApiProblem(0, "offline", "x"));
    expect(tooLarge.failure?.retryable).toBe(false);
    expect(offline.failure?.retryable).toBe(true);
  });

  it("passes over events it does not know", () => {
    const view = viewAfter(accepted);
    expect(applied(view, event("approval_required"))).toBe(view);
  });
});
