/** The person's session, shared by all tabs: kept in localStorage, renewed by one tab at a time (ADR 0011). */

import { ApiProblem, problemOf } from "./problem";
import type { components } from "./schema";

export type User = components["schemas"]["UserAnswer"];
type SessionAnswer = components["schemas"]["SessionAnswer"];

export interface Session {
  accessToken: string;
  refreshToken: string;
  /** Milliseconds since the epoch, by this machine's clock. */
  expiresAt: number;
  user: User;
}

const KEY = "superagent.session";
const ENDED = "superagent.session-ended";
const LOCK = "superagent.session";
/** An access token this close to its end is renewed before it is used. */
const MARGIN_MS = 60_000;

type Fetch = (request: Request) => Promise<Response>;

export class Sessions {
  private readonly listeners = new Set<() => void>();
  private raw: string | null = null;
  private parsed: Session | null = null;
  private renewing: Promise<Session | null> | null = null;

  constructor(
    private readonly storage: Storage,
    private readonly send: Fetch,
    private readonly locks: LockManager | undefined,
    private readonly now: () => number = Date.now,
  ) {}

  current(): Session | null {
    const raw = this.storage.getItem(KEY);
    if (raw !== this.raw) {
      this.raw = raw;
      this.parsed = raw === null ? null : parse(raw);
    }
    return this.parsed;
  }

  /** Whose session the server no longer took, in any tab, until somebody logs in; null after a log-out. */
  endedFor(): string | null {
    return this.storage.getItem(ENDED);
  }

  begin(answer: SessionAnswer): void {
    this.storage.removeItem(ENDED);
    this.write({
      accessToken: answer.access_token,
      refreshToken: answer.refresh_token,
      expiresAt: this.now() + answer.expires_in * 1000,
      user: answer.user,
    });
  }

  end(): void {
    this.storage.removeItem(ENDED);
    this.storage.removeItem(KEY);
    this.tell();
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** To be called when another tab changed the session. */
  tell(): void {
    for (const listener of this.listeners) listener();
  }

  /** Sends a request as the person: renews a token that ends soon, and once more when the server refuses it. */
  async fetch(request: Request): Promise<Response> {
    let session = this.current();
    if (session && session.expiresAt - this.now() < MARGIN_MS) session = await this.renew(session);
    const again = request.clone();
    const response = await this.send(authorized(request, session));
    if (response.status !== 401 || !session) return response;
    const renewed = await this.renew(session);
    if (!renewed) return response;
    await response.body?.cancel();
    return this.send(authorized(again, renewed));
  }

  /**
   * The session after `stale`, renewed by this tab or another; null when it has ended. Raises ApiProblem when the
   * server could not say.
   */
  async renew(stale: Session): Promise<Session | null> {
    this.renewing ??= this.exclusive(() => this.trade(stale)).finally(() => {
      this.renewing = null;
    });
    return this.renewing;
  }

  // Without Web Locks (plain HTTP on another host) two tabs may trade at once; the server's 10 s of leeway covers it.
  private exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.locks ? (this.locks.request(LOCK, work) as Promise<T>) : work();
  }

  private async trade(stale: Session): Promise<Session | null> {
    const session = this.current();
    if (!session || session.accessToken !== stale.accessToken) return session;
    const response = await this.send(
      new Request(new URL("/api/v1/auth/refresh", location.origin), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ refresh_token: session.refreshToken }),
      }),
    );
    const answer: SessionAnswer | null = response.ok ? await response.json() : null;
    const problem = answer ? null : await problemOf(response);
    // Who logged out meanwhile, or in as somebody else, is not brought back by an answer for the session before.
    if (this.current()?.refreshToken !== session.refreshToken) return this.current();
    if (answer) {
      this.begin(answer);
      return this.current();
    }
    if (problem && response.status !== 401 && problem.reason !== "banned") throw problem;
    // In this order: other tabs look when the session is gone.
    this.storage.setItem(ENDED, session.user.id);
    this.storage.removeItem(KEY);
    this.tell();
    return null;
  }

  private write(session: Session): void {
    this.storage.setItem(KEY, JSON.stringify(session));
    this.tell();
  }
}

function authorized(request: Request, session: Session | null): Request {
  if (session) request.headers.set("authorization", `Bearer ${session.accessToken}`);
  return request;
}

function parse(raw: string): Session | null {
  try {
    const session = JSON.parse(raw);
    return typeof session?.accessToken === "string" && typeof session?.user?.id === "string" ? session : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

export const sessions = new Sessions(localStorage, (request) => fetch(request), navigator.locks);

window.addEventListener("storage", (event) => {
  if (event.key === KEY || event.key === null) sessions.tell();
});

/** For what needs somebody to be logged in. Raises ApiProblem. */
export function loggedIn(): Session {
  const session = sessions.current();
  if (!session) throw new ApiProblem(401, "token_missing", "Nobody is logged in.");
  return session;
}
