import { describe, expect, it } from "vitest";
import { ApiProblem } from "@/api/problem";
import type { TurnEvent } from "@/api/turn-events";
import { activityOf, applied, broken, newTurn, storedTurn, type TurnView } from "./turn-view";
import { merged } from "./use-turns";

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

  it("keeps a failure with its reason", () => {
    const view = viewAfter(accepted, event("error", { reason: "model_down", message: "x", retryable: true }));
    expect(view).toMatchObject({ phase: "failed", failure: { reason: "model_down", retryable: true } });
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

describe("stored and followed turns of a conversation", () => {
  const stored = (turn_id: string) =>
    storedTurn("c1", {
      turn_id,
      question: "q",
      answer: "a",
      state: "COMPLETED",
      mode: "DIRECT",
      finish_reason: "stop",
      asked_at: AT,
      stored_at: AT,
      sources: [],
      retrieval_mode: "NONE",
    });

  it("are each shown once, the followed one with what only it knows", () => {
    const live = { ...stored("t2"), followUps: ["next?"] };
    const running = { ...newTurn("k", "c1", "new"), turnId: "t3" };
    const all = merged([stored("t1"), stored("t2")], [live, running]);
    expect(all.map(({ turnId }) => turnId)).toEqual(["t1", "t2", "t3"]);
    expect(all[1]?.followUps).toEqual(["next?"]);
  });
});
