import { beforeEach, describe, expect, it } from "vitest";
import { ApiProblem } from "@/api/problem";
import type { Beginning, TurnEvent } from "@/api/turn-events";
import { type Running, type TurnGateway, TurnStore } from "./turn-store";
import { newTurn } from "./turn-view";

/** An event, how the stream fails, or null: it ends. */
type Said = TurnEvent | Error | null;

/** Turns whose events a test says one by one. */
class Gateway implements TurnGateway {
  begun: { beginning: Beginning; key: string }[] = [];
  followed: string[] = [];
  stopped: string[] = [];
  stopFailure: Error | null = null;
  runs: Running[] = [];
  private readonly waiting: ((said: Said) => void)[] = [];
  private readonly said: Said[] = [];
  private sequence = 0;

  say(type: TurnEvent["type"], fields: object = {}): void {
    this.sequence += 1;
    this.push({ type, turn_id: "t1", sequence: this.sequence, at: "", ...fields } as unknown as TurnEvent);
  }

  push(what: Said): void {
    const next = this.waiting.shift();
    if (next) next(what);
    else this.said.push(what);
  }

  begin(beginning: Beginning, key: string) {
    this.begun.push({ beginning, key });
    return () => this.events();
  }

  follow(turnId: string) {
    this.followed.push(turnId);
    return () => this.events();
  }

  async stop(turnId: string) {
    if (this.stopFailure) throw this.stopFailure;
    this.stopped.push(turnId);
  }

  async running() {
    return this.runs;
  }

  private async *events(): AsyncGenerator<TurnEvent> {
    while (true) {
      const said = this.said.shift();
      const next = said === undefined ? await new Promise<Said>((say) => this.waiting.push(say)) : said;
      if (next === null) return;
      if (next instanceof Error) throw next;
      yield next;
      if (next.type === "done" || next.type === "error") return;
    }
  }
}

describe("the turns that a tab follows", () => {
  let gateway: Gateway;
  let announced: string[];
  let store: TurnStore;

  beforeEach(() => {
    gateway = new Gateway();
    announced = [];
    store = new TurnStore(gateway, (conversationId) => announced.push(conversationId));
  });

  /** Resolves when the store has told of a change after which `is` holds. */
  function until(is: () => boolean): Promise<void> {
    if (is()) return Promise.resolve();
    return new Promise((resolve) => {
      const leave = store.subscribe(() => {
        if (!is()) return;
        leave();
        resolve();
      });
    });
  }

  it("shows a question at once, and moves it into the conversation that it began", async () => {
    const ended = store.ask({ message: "Why?" }, () => undefined);
    expect(store.of("").map(({ question, phase }) => [question, phase])).toEqual([["Why?", "asking"]]);
    gateway.say("accepted", { conversation_id: "c1" });
    gateway.say("delta", { text: "So." });
    gateway.say("done", { finish_reason: "stop" });
    expect(await ended).toMatchObject({ conversationId: "c1", text: "So.", phase: "done" });
    expect(store.of("")).toEqual([]);
    expect(store.of("c1")).toHaveLength(1);
    expect(announced).toEqual(["c1"]);
  });

  it("gives the same list until something changes", async () => {
    void store.ask({ message: "Why?", conversation_id: "c1" }, () => undefined);
    const before = store.of("c1");
    expect(store.of("c1")).toBe(before);
    gateway.say("accepted", { conversation_id: "c1" });
    await until(() => store.of("c1") !== before);
  });

  it("goes on watching what runs elsewhere, once", async () => {
    gateway.runs = [{ turn_id: "t1", question: "Asked in another tab?" }];
    await store.watch("c1", () => undefined);
    await store.watch("c1", () => undefined);
    expect(gateway.followed).toEqual(["t1"]);
    gateway.say("accepted", { conversation_id: "c1" });
    gateway.say("delta", { text: "Seen." });
    await until(() => store.of("c1")[0]?.text === "Seen.");
    expect(store.of("c1")[0]?.question).toBe("Asked in another tab?");
  });

  it("forgets a turn whose events are gone, and says that it is over", async () => {
    gateway.runs = [{ turn_id: "t1", question: "Long ago?" }];
    const over = new Promise<void>((ended) => void store.watch("c1", ended));
    gateway.push(null);
    await over;
    expect(store.of("c1")).toEqual([]);
  });

  it("does not follow its own question a second time before it has a number", async () => {
    void store.ask({ message: "Why?", conversation_id: "c1" }, () => undefined);
    gateway.runs = [{ turn_id: "t1", question: "Why?" }];
    await store.watch("c1", () => undefined);
    expect(gateway.followed).toEqual([]);
  });

  it("stops a turn that has no id yet as soon as it has one", async () => {
    void store.ask({ message: "Why?" }, () => undefined);
    const key = store.of("")[0]?.key ?? "";
    const stopping = store.stop(key);
    expect(gateway.stopped).toEqual([]);
    gateway.say("accepted", { conversation_id: "c1" });
    await stopping;
    expect(gateway.stopped).toEqual(["t1"]);
  });

  it("says that stopping failed, and follows the turn on", async () => {
    const ended = store.ask({ message: "Why?", conversation_id: "c1" }, () => undefined);
    gateway.stopFailure = new ApiProblem(503, "cancel_unavailable", "");
    const stopping = store.stop(store.of("c1")[0]?.key ?? "");
    gateway.say("accepted", { conversation_id: "c1" });
    await expect(stopping).rejects.toThrow("cancel_unavailable");
    gateway.say("delta", { text: "So." });
    gateway.say("done", { finish_reason: "stop" });
    expect(await ended).toMatchObject({ phase: "done", text: "So." });
  });

  it("stops nothing when the question is refused first", async () => {
    void store.ask({ message: "Why?", conversation_id: "c1" }, () => undefined);
    const stopping = store.stop(store.of("c1")[0]?.key ?? "");
    gateway.push(new ApiProblem(409, "conversation_busy", ""));
    await stopping;
    expect(gateway.stopped).toEqual([]);
  });

  it("answers the last turn anew, and tells other tabs", async () => {
    const last = { ...newTurn("k", "c1", "Why?"), turnId: "t0", text: "Because.", phase: "done" as const };
    const ended = store.regenerate(last, "");
    expect(gateway.begun[0]?.beginning).toEqual({ path: "/api/v1/turns/t0/regenerate", body: {} });
    expect(store.of("c1")).toMatchObject([{ question: "Why?", replaces: "t0", phase: "asking" }]);
    gateway.say("accepted", { conversation_id: "c1" });
    gateway.say("done", { finish_reason: "stop" });
    expect(await ended).toMatchObject({ turnId: "t1", replaces: "t0" });
    expect(announced).toEqual(["c1"]);
  });

  it("asks another question in the place of the last, and forgets an attempt that said nothing", async () => {
    const last = { ...newTurn("k", "c1", "Why?"), turnId: "t0", text: "Because.", phase: "done" as const };
    const refused = store.regenerate(last, "");
    gateway.push(new ApiProblem(429, "rate_limited", ""));
    await refused;
    void store.regenerate(last, "Why not?");
    expect(gateway.begun[1]?.beginning.body).toEqual({ message: "Why not?" });
    expect(store.of("c1")).toMatchObject([{ question: "Why not?", phase: "asking" }]);
  });

  it("knows of what is watched which turn it replaces", async () => {
    gateway.runs = [{ turn_id: "t1", question: "Why?", replaces_turn_id: "t0" }];
    await store.watch("c1", () => undefined);
    expect(store.of("c1")).toMatchObject([{ turnId: "t1", replaces: "t0" }]);
  });

  it("keeps what was said when the stream fails for good", async () => {
    const ended = store.ask({ message: "Why?" }, () => undefined);
    gateway.say("accepted", { conversation_id: "c1" });
    gateway.say("delta", { text: "Half" });
    gateway.push(new ApiProblem(404, "events_expired", ""));
    expect(await ended).toMatchObject({ text: "Half", phase: "failed", failure: { reason: "events_expired" } });
  });

  it("says why a question was refused, and forgets it when told", async () => {
    const ended = store.ask({ message: "Why?", conversation_id: "c1" }, () => undefined);
    gateway.push(new ApiProblem(409, "conversation_busy", ""));
    const { failure, key } = await ended;
    expect(failure?.problem?.status).toBe(409);
    store.forget(key);
    expect(store.of("c1")).toEqual([]);
  });

  it("shows nothing of one person to the next", () => {
    void store.ask({ message: "Why?", conversation_id: "c1" }, () => undefined);
    store.leave();
    expect(store.of("c1")).toEqual([]);
  });
});
