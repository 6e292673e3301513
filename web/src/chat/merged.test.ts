import { describe, expect, it } from "vitest";
import { ApiProblem } from "@/api/problem";
import { merged } from "./merged";
import { broken, newTurn, storedTurn, type TurnView } from "./turn-view";

function kept(turn_id: string): Parameters<typeof storedTurn>[1] {
  return {
    turn_id,
    question: "q",
    answer: "a",
    state: "COMPLETED",
    mode: "DIRECT",
    finish_reason: "stop",
    asked_at: "",
    stored_at: "",
    sources: [],
    retrieval_mode: "NONE",
  };
}

const stored = (turnId: string) => storedTurn("c1", kept(turnId));

function live(turnId: string, more: Partial<TurnView> = {}): TurnView {
  return { ...newTurn(`key of ${turnId}`, "c1", "new"), turnId, phase: "running", ...more };
}

const ids = (turns: readonly TurnView[]) => turns.map(({ turnId }) => turnId);

describe("stored and followed turns of a conversation", () => {
  it("stay the same views when they are read again, so that none is drawn anew", () => {
    const turn = kept("t1");
    expect(storedTurn("c1", turn)).toBe(storedTurn("c1", turn));
  });

  it("are each shown once, the followed one with what only it knows", () => {
    const followed = { ...stored("t2"), followUps: ["next?"] };
    const all = merged([stored("t1"), stored("t2")], [followed, live("t3")]);
    expect(ids(all)).toEqual(["t1", "t2", "t3"]);
    expect(all[1]?.followUps).toEqual(["next?"]);
  });

  it("show an answer that is made anew in its place, with the former until it says something", () => {
    const anew = live("t3", { replaces: "t2" });
    const silent = merged([stored("t1"), stored("t2")], [anew]);
    expect(ids(silent)).toEqual(["t1", "t3"]);
    expect(silent[1]?.former?.turnId).toBe("t2");
    const saying = merged([stored("t1"), stored("t2")], [{ ...anew, text: "So" }]);
    expect(ids(saying)).toEqual(["t1", "t3"]);
    expect(saying[1]?.former).toBeNull();
  });

  it("keep the former answer when the new one ended without a word", () => {
    const refused = broken(live("", { replaces: "t1" }), new ApiProblem(429, "rate_limited", ""));
    const all = merged([stored("t1")], [refused]);
    expect(ids(all)).toEqual(["t1"]);
    expect(all[0]?.again).toMatchObject({ question: "new", failure: { reason: "rate_limited" } });
    const stopped = merged([stored("t1")], [live("t2", { replaces: "t1", phase: "done", finishReason: "cancelled" })]);
    expect(stopped[0]).toMatchObject({ turnId: "t1", again: { failure: null } });
  });

  it("forget a followed answer that was replaced, here or elsewhere", () => {
    const first = live("t1", { text: "A", phase: "done" });
    const second = live("t2", { text: "B", phase: "done", replaces: "t1" });
    expect(ids(merged([], [first, second]))).toEqual(["t2"]);
    expect(ids(merged([stored("t2")], [first, second]))).toEqual(["t2"]);
    // Another tab, or another device, made t3 of it.
    expect(ids(merged([stored("t3")], [first, second]))).toEqual(["t3"]);
  });

  it("follow a chain of new answers to its end", () => {
    const second = live("t2", { text: "B", phase: "done", replaces: "t1" });
    const third = live("t3", { replaces: "t2" });
    const all = merged([stored("t1")], [second, third]);
    expect(ids(all)).toEqual(["t3"]);
    expect(all[0]?.former?.text).toBe("B");
  });
});
