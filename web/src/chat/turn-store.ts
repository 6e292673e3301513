/** Turns that this tab follows, whichever page is open. */

import { answerOf, api } from "@/api/client";
import { newId } from "@/api/new-id";
import { asProblem } from "@/api/problem";
import {
  asking,
  type Beginning,
  beginAndFollow,
  type Connection,
  followTurn,
  type Question,
  regenerating,
  replaying,
  type TurnEvent,
} from "@/api/turn-events";
import { applied, broken, isOver, newTurn, saysSomething, type TurnView } from "./turn-view";

type Events = (signal: AbortSignal, onConnection: (connection: Connection) => void) => AsyncIterable<TurnEvent>;

interface Live {
  view: TurnView;
  /** Resolves with the turn's id, or with an empty string when it ended without one. */
  known: Promise<string>;
  tellKnown: (turnId: string) => void;
  leaving: AbortController;
}

/** How the store reaches the gateway; tests give their own. */
export interface TurnGateway {
  begin(beginning: Beginning, key: string): Events;
  follow(turnId: string): Events;
  stop(turnId: string): Promise<void>;
  running(conversationId: string): Promise<Running[]>;
}

/** A turn that runs, wherever it was asked. */
export interface Running {
  turn_id: string;
  question: string;
  /** The turn whose place it takes. */
  replaces_turn_id?: string | null;
}

/** Between two pictures of a growing answer; longer for long answers, whose layout costs more. */
const FRAME_MS = 40;
const SLOW_FRAME_MS = 250;
const LONG_ANSWER = 200_000;

export class TurnStore {
  private turns: readonly Live[] = [];
  private readonly listeners = new Set<() => void>();
  private readonly snapshots = new Map<string, readonly TurnView[]>();
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly gateway: TurnGateway,
    /** Told of each conversation in which a turn has begun here. */
    private readonly announce: (conversationId: string) => void,
  ) {}

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Followed turns of a conversation, oldest first. The same array until something changed. */
  of(conversationId: string): readonly TurnView[] {
    let views = this.snapshots.get(conversationId);
    if (!views) {
      views = this.turns.filter(({ view }) => view.conversationId === conversationId).map(({ view }) => view);
      this.snapshots.set(conversationId, views);
    }
    return views;
  }

  /**
   * Asks a question; without a conversation it begins one, whose id `accepted` is told. Resolves when the turn has
   * ended.
   */
  ask(question: Question, accepted: (conversationId: string) => void): Promise<TurnView> {
    const view = newTurn(newId(), question.conversation_id ?? "", question.message);
    return this.begin(view, asking(question), accepted);
  }

  /** Answers the last turn of a conversation anew, or with `message` another question in its place. */
  regenerate(turn: TurnView, message: string): Promise<TurnView> {
    const view = newTurn(newId(), turn.conversationId, message || turn.question);
    // What was tried before and said nothing is over with the next attempt.
    for (const tried of this.of(turn.conversationId))
      if (tried.replaces === turn.turnId && isOver(tried) && !saysSomething(tried)) this.forget(tried.key);
    return this.begin({ ...view, replaces: turn.turnId }, regenerating(turn.turnId, message), () => undefined);
  }

  /** Runs the plan of a turn again, as a new turn of its conversation, which `accepted` is told. */
  replay(
    turn: Pick<TurnView, "turnId" | "conversationId" | "question">,
    accepted: (conversationId: string) => void,
  ): Promise<TurnView> {
    return this.begin(newTurn(newId(), turn.conversationId, turn.question), replaying(turn.turnId), accepted);
  }

  /**
   * Goes on watching what runs in a conversation, wherever it was asked; `ended` is told when such a turn is over.
   * Raises ApiProblem.
   */
  async watch(conversationId: string, ended: () => void): Promise<void> {
    for (const { turn_id, question, replaces_turn_id } of await this.gateway.running(conversationId)) {
      if (this.turns.some(({ view }) => view.turnId === turn_id)) continue;
      // Asked by this tab, but its first event is not here yet.
      if (this.of(conversationId).some(({ phase }) => phase === "asking")) continue;
      const view: TurnView = {
        ...newTurn(turn_id, conversationId, question),
        turnId: turn_id,
        replaces: replaces_turn_id ?? "",
        phase: "running",
      };
      void this.run(this.add(view), this.gateway.follow(turn_id), () => undefined).then(ended);
    }
  }

  /** Stops a turn, as soon as it has an id; what was said stays. Raises ApiProblem. */
  async stop(key: string): Promise<void> {
    const live = this.turns.find(({ view }) => view.key === key);
    const turnId = live?.view.turnId || (await live?.known);
    if (turnId) await this.gateway.stop(turnId);
  }

  /** Forgets a turn that ended, for example a question that was refused. */
  forget(key: string): void {
    this.turns = this.turns.filter(({ view }) => view.key !== key);
    this.tell();
  }

  /** Leaves all streams: another person logs in. The turns go on. */
  leave(): void {
    for (const { leaving } of this.turns) leaving.abort();
    this.turns = [];
    this.tell();
  }

  private begin(view: TurnView, beginning: Beginning, accepted: (conversationId: string) => void): Promise<TurnView> {
    return this.run(this.add(view), this.gateway.begin(beginning, view.key), (conversationId) => {
      this.announce(conversationId);
      accepted(conversationId);
    });
  }

  private add(view: TurnView): Live {
    let tellKnown: Live["tellKnown"] = () => undefined;
    const known = new Promise<string>((resolve) => {
      tellKnown = resolve;
    });
    const live = { view, known, tellKnown, leaving: new AbortController() };
    this.turns = [...this.turns, live];
    this.tell();
    return live;
  }

  private async run(live: Live, events: Events, accepted: (conversationId: string) => void): Promise<TurnView> {
    const onConnection = (connection: Connection) => {
      if (live.view.connection === connection) return;
      live.view = { ...live.view, connection };
      this.tellSoon(live);
    };
    try {
      for await (const event of events(live.leaving.signal, onConnection)) {
        live.view = applied(live.view, event);
        if (event.type === "accepted") {
          this.tell();
          accepted(event.conversation_id);
          live.tellKnown(event.turn_id);
        } else {
          this.tellSoon(live);
        }
      }
      // It ended so long ago that its events are gone; memory has the answer.
      if (live.view.phase === "running") this.forget(live.view.key);
    } catch (error) {
      live.view = broken(live.view, asProblem(error));
    }
    live.tellKnown(live.view.turnId);
    this.tell();
    return live.view;
  }

  private tellSoon(live: Live): void {
    this.timer ??= setTimeout(() => this.tell(), live.view.text.length > LONG_ANSWER ? SLOW_FRAME_MS : FRAME_MS);
  }

  private tell(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.snapshots.clear();
    for (const listener of this.listeners) listener();
  }
}

export const HTTP_TURNS: TurnGateway = {
  begin: (beginning, key) => (signal, onConnection) =>
    beginAndFollow(beginning, key, { after: 0, signal, onConnection }),
  follow: (turnId) => (signal, onConnection) => followTurn(turnId, { after: 0, signal, onConnection }),
  stop: async (turn_id) => {
    await answerOf(api.POST("/api/v1/turns/{turn_id}/cancel", { params: { path: { turn_id } } }));
  },
  running: async (conversation_id) =>
    (await answerOf(api.GET("/api/v1/turns/running", { params: { query: { conversation_id } } }))).turns,
};
