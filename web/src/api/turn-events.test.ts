import { describe, expect, it } from "vitest";
import { ApiProblem } from "./problem";
import {
  asking,
  beginAndFollow,
  type Follow,
  followTurn,
  regenerating,
  replaying,
  type TurnEvent,
} from "./turn-events";

const ENCODER = new TextEncoder();

function frame(sequence: number, type = "delta", fields: object = { text: `${sequence} ` }): string {
  return `id: ${sequence}\nevent: ${type}\ndata: ${JSON.stringify({ turn_id: "t1", sequence, at: "", ...fields })}\n\n`;
}

/** A response that ends, or breaks, behind its chunks. */
function stream(chunks: (string | Uint8Array)[], breaks = false): Response {
  return new Response(
    new ReadableStream({
      pull(controller) {
        const chunk = chunks.shift();
        if (chunk !== undefined) controller.enqueue(typeof chunk === "string" ? ENCODER.encode(chunk) : chunk);
        else if (breaks) controller.error(new TypeError("network"));
        else controller.close();
      },
    }),
  );
}

interface Sent {
  path: string;
  method: string;
  lastEventId: string | null;
  key: string | null;
}

function server(...answers: (Response | Error)[]) {
  const sent: Sent[] = [];
  const send = async (path: string, init: RequestInit) => {
    const headers = new Headers(init.headers);
    const method = init.method ?? "GET";
    sent.push({ path, method, lastEventId: headers.get("last-event-id"), key: headers.get("idempotency-key") });
    const answer = answers.shift();
    if (!answer) throw new Error("nobody expected this request");
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { send, sent };
}

function follow(send: Follow["send"], more: Partial<Follow> = {}): Follow {
  return {
    after: 0,
    signal: new AbortController().signal,
    onConnection: () => undefined,
    pause: async () => undefined,
    send,
    ...more,
  };
}

async function all(events: AsyncIterable<TurnEvent>): Promise<TurnEvent[]> {
  const gathered: TurnEvent[] = [];
  for await (const event of events) gathered.push(event);
  return gathered;
}

const numbers = (events: TurnEvent[]) => events.map(({ sequence }) => sequence);
const done = (sequence: number) => frame(sequence, "done", { finish_reason: "stop" });

describe("following a turn", () => {
  it("takes a broken stream up behind the last event, without gap or repeat", async () => {
    const { send, sent } = server(
      stream([frame(1), frame(2)], true),
      new TypeError("offline"),
      stream([frame(2), frame(3)]),
      stream([done(4)]),
    );
    const states: string[] = [];
    const events = await all(followTurn("t1", follow(send, { onConnection: (state) => states.push(state) })));
    expect(numbers(events)).toEqual([1, 2, 3, 4]);
    expect(sent.map(({ lastEventId }) => lastEventId)).toEqual(["0", "2", "2", "3"]);
    expect(states).toContain("reconnecting");
    expect(states.at(-1)).toBe("live");
  });

  it("reads characters and events that are cut anywhere", async () => {
    const bytes = ENCODER.encode(`: heartbeat\n\n${frame(1, "delta", { text: "你好😀" })}${done(2)}`);
    const chunks = Array.from(bytes, (byte) => Uint8Array.of(byte));
    const [first] = await all(followTurn("t1", follow(server(stream(chunks)).send)));
    expect(first).toMatchObject({ type: "delta", text: "你好😀" });
  });

  it("ends when the turn is over and has nothing more to say", async () => {
    const events = await all(followTurn("t1", follow(server(new Response(null, { status: 204 })).send)));
    expect(events).toEqual([]);
  });

  it("takes an end with a lower number than it has seen, for its owner died", async () => {
    const { send } = server(stream([done(3)]));
    expect(numbers(await all(followTurn("t1", follow(send, { after: 7 }))))).toEqual([3]);
  });

  it("gives up what the server refuses, and waits for what may pass", async () => {
    const refusal = new ApiProblem(404, "unknown_turn", "");
    await expect(all(followTurn("t1", follow(server(refusal).send)))).rejects.toBe(refusal);
    const { send } = server(new ApiProblem(503, "turn_log_unavailable", ""), stream([done(1)]));
    expect(numbers(await all(followTurn("t1", follow(send))))).toEqual([1]);
  });

  it("stops asking once it is left", async () => {
    const leaving = new AbortController();
    const { send, sent } = server(stream([frame(1)]));
    const events = followTurn("t1", follow(send, { signal: leaving.signal, pause: async () => leaving.abort() }));
    expect(numbers(await all(events))).toEqual([1]);
    expect(sent).toHaveLength(1);
  });
});

describe("asking", () => {
  it("asks once with one key, and resumes at the turn it got", async () => {
    const { send, sent } = server(
      new TypeError("lost on the way"),
      stream([frame(1, "accepted", { conversation_id: "c1" }), frame(2)], true),
      stream([done(3)]),
    );
    const events = await all(beginAndFollow(asking({ message: "Why?" }), "key-1", follow(send)));
    expect(numbers(events)).toEqual([1, 2, 3]);
    expect(sent).toEqual([
      { path: "/api/v1/chat", method: "POST", lastEventId: null, key: "key-1" },
      { path: "/api/v1/chat", method: "POST", lastEventId: null, key: "key-1" },
      { path: "/api/v1/turns/t1/events", method: "GET", lastEventId: "2", key: null },
    ]);
  });

  it("says at once that a conversation is busy", async () => {
    const busy = new ApiProblem(409, "conversation_busy", "", "", null, { turn_id: "t9" });
    await expect(all(beginAndFollow(asking({ message: "Why?" }), "k", follow(server(busy).send)))).rejects.toBe(busy);
  });

  it("sends what is to be answered anew, or run again, the same way", async () => {
    const { send, sent } = server(stream([done(1)]), stream([done(1)]));
    await all(beginAndFollow(regenerating("t/1", "Why not?"), "key-2", follow(send)));
    await all(beginAndFollow(replaying("t1"), "key-3", follow(send)));
    expect(sent).toEqual([
      { path: "/api/v1/turns/t%2F1/regenerate", method: "POST", lastEventId: null, key: "key-2" },
      { path: "/api/v1/turns/t1/replay", method: "POST", lastEventId: null, key: "key-3" },
    ]);
    expect(regenerating("t1", "Why not?").body).toEqual({ message: "Why not?" });
    expect(regenerating("t1", "").body).toEqual({});
  });
});
