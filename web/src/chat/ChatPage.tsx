import { useQueryClient } from "@tanstack/react-query";
import { App, Skeleton } from "antd";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { asProblem } from "@/api/problem";
import { Loading } from "@/app/Loading";
import { appStrings } from "@/app/strings";
import { useFileHandover } from "@/documents/upload/chosen";
import { useLanguage, useStrings } from "@/shared/language";
import { useTitle } from "@/shared/Page";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { wordsFor } from "@/shared/problem-words";
import { Answer, type AnswerActions } from "./Answer";
import { ChatHeader } from "./ChatHeader";
import { Composer } from "./Composer";
import { useConversation } from "./conversations";
import { drafts } from "./drafts";
import { GoneConversation, isGone } from "./GoneConversation";
import { USUAL } from "./memory/strategies";
import { memoryStrings } from "./memory/strings";
import { type Shown, SidePanel, TurnPanel } from "./SidePanel";
import { activityInWords, chatStrings } from "./strings";
import { Transcript } from "./Transcript";
import { activityOf, keyOf, type TurnView, wasStopped } from "./turn-view";
import { turns } from "./turns";
import { useDraft } from "./use-draft";
import { useDrawn } from "./use-drawn";
import { useTurns } from "./use-turns";
import { Welcome } from "./Welcome";
import "./chat.css";

const MemoryPanel = lazy(() => import("./memory/MemoryPanel"));

/** Reasons for which a question is not taken and shall be asked later. */
const NOT_NOW: ReadonlySet<string> = new Set(["conversation_busy", "not_the_last_turn"]);

export default function ChatPage() {
  const t = useStrings(chatStrings);
  const app = useStrings(appStrings);
  const language = useLanguage();
  const { message } = App.useApp();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const addressed = useParams().conversationId ?? "";
  // What was begun here, until the router has gone to its address: its turn must not vanish meanwhile.
  const [begun, setBegun] = useState("");
  useEffect(() => {
    if (addressed) setBegun("");
  }, [addressed]);
  const conversationId = addressed || begun;
  const { all, isPending, error, refetch } = useTurns(conversationId);
  const [draft, setDraft] = useDraft(conversationId);
  const [domains, setDomains] = useState<readonly string[]>([]);
  const [strategy, setStrategy] = useState(USUAL);
  const [shown, setShown] = useState<Shown | null>(null);
  const handOver = useFileHandover();
  const here = useRef(conversationId);
  here.current = conversationId;
  // Counted up with each question, and each answer that is made anew: the focus goes to the input, the view to the end.
  const [asked, setAsked] = useState(0);
  const memory = useStrings(memoryStrings);
  const [parameters, setParameters] = useSearchParams();
  const conversation = useConversation(conversationId);
  const title = conversation?.title;
  const showsMemory = parameters.get("beside") === "memory" && conversation !== undefined;
  useTitle(title || (conversationId ? app.chat : t.newChat));

  const drawn = useDrawn(all);
  const last = all.at(-1);
  const running = all.find((turn) => activityOf(turn) !== null);
  const shownTurn = shown && (all.find(({ key, turnId }) => key === shown.key || turnId === shown.key) ?? null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown beside belongs to its conversation
  useEffect(() => () => setShown(null), [conversationId]);

  const closeMemory = useCallback(() => {
    setShown(null);
    setParameters({}, { replace: true });
  }, [setParameters]);
  const show = useCallback(
    (next: Shown) => {
      if (showsMemory) closeMemory();
      setShown(next);
    },
    [showsMemory, closeMemory],
  );

  const keep = useCallback((question: string) => setDraft((draft) => draft || question), [setDraft]);

  /** Gives back a question that was not taken, and goes to what is being answered instead. */
  const settle = useCallback(
    (ended: TurnView, question: string) => {
      void queries.invalidateQueries({ queryKey: ["conversations"] });
      const { failure } = ended;
      if (!failure?.problem || !(NOT_NOW.has(failure.reason) || isGone(failure.problem))) return;
      turns.forget(ended.key);
      keep(question);
      const readAgain = () => void queries.invalidateQueries({ queryKey: ["turns", "of", ended.conversationId] });
      readAgain();
      if (isGone(failure.problem)) return;
      void message.warning(wordsFor(failure.problem, language));
      turns.watch(ended.conversationId, readAgain).catch(console.warn);
    },
    [keep, language, message, queries],
  );

  const send = useCallback(
    async (question: string) => {
      const from = here.current;
      setAsked((count) => count + 1);
      drafts.asked(from, question);
      const ended = await turns.ask(
        {
          message: question,
          conversation_id: from || null,
          time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
          domains: domains.length ? [...domains] : null,
          memory_strategy: from ? null : strategy,
        },
        (accepted) => {
          drafts.accepted(from, accepted);
          if (!from && here.current === "") {
            setBegun(accepted);
            setStrategy(USUAL);
            navigate(`/chat/${accepted}`, { replace: true });
          }
          void queries.invalidateQueries({ queryKey: ["conversations"] });
        },
      );
      settle(ended, question);
    },
    [domains, strategy, navigate, queries, settle],
  );

  const replace = useCallback(
    async (turn: TurnView, question: string) => {
      setAsked((count) => count + 1);
      const isOther = question !== turn.question;
      settle(await turns.regenerate(turn, isOther ? question : ""), isOther ? question : "");
    },
    [settle],
  );

  const stop = useCallback(
    async (turn: TurnView) => {
      try {
        await turns.stop(turn.key);
      } catch (error) {
        void message.error(wordsFor(asProblem(error), language));
      }
    },
    [language, message],
  );

  const actions = useMemo<AnswerActions>(
    () => ({
      ask: (question) => void send(question),
      askAgain: (turn) => {
        if (turn.turnId) return void replace(turn, turn.again?.question ?? turn.question);
        turns.forget(turn.key);
        void send(turn.question);
      },
      replace: (turn, question) => void replace(turn, question),
      keep,
      openSource: (key, citationId) => show({ kind: "source", key, citationId }),
      openDetails: (key) => show({ kind: "turn", key }),
    }),
    [send, replace, keep, show],
  );

  if (isGone(error) && !running) return <GoneConversation conversationId={conversationId} />;
  return (
    <div className="chat">
      <div className="chat-main">
        {conversation && <ChatHeader conversation={conversation} />}
        <Transcript place={`${conversationId} ${all.length} ${asked}`} isGrowing={running !== undefined}>
          {error && all.length === 0 && <ProblemNotice error={error} onRetry={() => void refetch()} />}
          {isPending && <Skeleton active paragraph={{ rows: 6 }} />}
          {!isPending && !error && all.length === 0 && <Welcome onAsk={actions.ask} />}
          {all.map((turn) => (
            <Answer
              key={keyOf(turn)}
              turn={turn}
              isLast={turn === last}
              isDrawn={drawn.has(keyOf(turn))}
              actions={actions}
            />
          ))}
        </Transcript>
        <div className="composer-box">
          <Composer
            value={draft}
            onChange={setDraft}
            domains={domains}
            onDomains={setDomains}
            strategy={conversationId || running ? null : strategy}
            onStrategy={setStrategy}
            onSend={(question) => {
              setDraft("");
              void send(question);
            }}
            onStop={running ? () => void stop(running) : null}
            onFiles={handOver}
            onClose={() => (showsMemory ? closeMemory() : setShown(null))}
            place={`${conversationId} ${asked}`}
          />
        </div>
        <LiveStatus turn={running ?? null} last={last ?? null} />
      </div>
      {showsMemory ? (
        <SidePanel title={memory.memory} onClose={closeMemory}>
          <Suspense fallback={<Loading />}>
            <MemoryPanel key={conversationId} conversation={conversation} />
          </Suspense>
        </SidePanel>
      ) : (
        shown &&
        shownTurn && <TurnPanel shown={shown} turn={shownTurn} onShow={setShown} onClose={() => setShown(null)} />
      )}
    </div>
  );
}

/** What a screen reader is told: the beginning and the end of an answer, and what happens between. */
function LiveStatus({ turn, last }: { turn: TurnView | null; last: TurnView | null }) {
  const t = useStrings(chatStrings);
  const wasRunning = useRef(false);
  const activity = turn && activityOf(turn);
  // A failure is an alert where it stands.
  const ended = last?.failure ? "" : last && wasStopped(last) ? t.stopped : t.answered;
  const text = turn && activity ? activityInWords(t, turn, activity) : wasRunning.current ? ended : "";
  useEffect(() => {
    if (activity) wasRunning.current = true;
  }, [activity]);
  return (
    <p className="visually-hidden" role="status">
      {text}
    </p>
  );
}
