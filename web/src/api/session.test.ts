import { beforeEach, describe, expect, it } from "vitest";
import { Sessions } from "./session";

const USER = { id: "u1", username: "anna", roles: ["user"], org_tags: [] };

function answer(number: number, expires_in = 3600) {
  return { access_token: `access-${number}`, refresh_token: `refresh-${number}`, expires_in, user: USER };
}

/** A gateway that knows one current session and counts its renewals. */
class Gateway {
  current = 1;
  renewals = 0;
  requests: (string | null)[] = [];
  refreshAnswer: (() => Response) | null = null;

  send = async (request: Request): Promise<Response> => {
    if (request.url.endsWith("/auth/refresh")) {
      const { refresh_token } = await request.json();
      this.renewals += 1;
      if (this.refreshAnswer) return this.refreshAnswer();
      if (refresh_token !== `refresh-${this.current}`) return problem(401, "refresh_token_reused");
      this.current += 1;
      return Response.json(answer(this.current));
    }
    const token = request.headers.get("authorization");
    this.requests.push(token);
    return token === `Bearer access-${this.current}`
      ? Response.json(await request.text())
      : problem(401, "token_expired");
  };
}

function problem(status: number, reason: string): Response {
  return Response.json({ reason, detail: reason, trace_id: "" }, { status });
}

/** One at a time by name, as all tabs of a browser share it. */
class Locks {
  private last: Promise<unknown> = Promise.resolve();
  request<T>(_: string, work: () => Promise<T>): Promise<T> {
    const next = this.last.then(work, work);
    this.last = next.catch(() => undefined);
    return next;
  }
}

const request = () => new Request("http://page/api/v1/things", { method: "POST", body: "what I said" });

describe("a session", () => {
  const gateway = { now: new Gateway() };
  const locks = new Locks() as unknown as LockManager;
  const tab = (now?: () => number) => new Sessions(localStorage, gateway.now.send, locks, now);

  beforeEach(() => {
    localStorage.clear();
    gateway.now = new Gateway();
  });

  it("sends its token, and the request once more when the token is renewed", async () => {
    const session = tab();
    session.begin(answer(1));
    gateway.now.current = 1;
    expect((await session.fetch(request())).status).toBe(200);
    session.begin({ ...answer(1), access_token: "stale" });
    const response = await session.fetch(request());
    expect(await response.json()).toBe("what I said");
    expect(gateway.now.renewals).toBe(1);
    expect(session.current()?.accessToken).toBe("access-2");
  });

  it("is renewed before it ends", async () => {
    const session = tab(() => 0);
    session.begin(answer(1, 30));
    await session.fetch(request());
    expect(gateway.now.requests).toEqual(["Bearer access-2"]);
  });

  it("is renewed by one of two tabs, and the other goes on with what that one got", async () => {
    const [one, other] = [tab(), tab()];
    one.begin({ ...answer(1), access_token: "stale" });
    const responses = await Promise.all([one.fetch(request()), other.fetch(request()), one.fetch(request())]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(gateway.now.renewals).toBe(1);
  });

  it("ends when the server no longer takes it, and every tab can say so until the next one begins", async () => {
    const [session, other] = [tab(), tab()];
    session.begin(answer(7));
    expect((await session.fetch(request())).status).toBe(401);
    for (const each of [session, other, tab()]) {
      expect(each.current()).toBeNull();
      expect(each.endedFor()).toBe("u1");
    }
    session.begin(answer(1));
    expect(other.endedFor()).toBeNull();
  });

  it("has not ended but been left when the person leaves", async () => {
    const session = tab();
    session.begin(answer(7));
    await session.fetch(request());
    session.end();
    expect(session.endedFor()).toBeNull();
  });

  it("does not come back, and has not ended either, when the person leaves while it is renewed", async () => {
    for (const late of [() => Response.json(answer(2)), () => problem(401, "refresh_token_reused")]) {
      const session = tab(() => 0);
      session.begin(answer(1, 30));
      gateway.now.refreshAnswer = () => {
        session.end();
        return late();
      };
      await session.fetch(request());
      expect(session.current()).toBeNull();
      expect(session.endedFor()).toBeNull();
    }
  });

  it("stays when the server cannot say", async () => {
    const session = tab();
    session.begin({ ...answer(1), access_token: "stale" });
    gateway.now.refreshAnswer = () => problem(503, "database_unavailable");
    await expect(session.fetch(request())).rejects.toMatchObject({ reason: "database_unavailable" });
    expect(session.current()).not.toBeNull();
  });

  it("is nobody's when what is stored cannot be read", () => {
    localStorage.setItem("superagent.session", "{half");
    expect(tab().current()).toBeNull();
  });
});
