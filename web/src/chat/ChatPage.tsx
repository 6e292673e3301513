import { useQueryClient } from "@tanstack/react-query";
import { App, Skeleton } from "antd";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useNavigate, useParams } from "react-router";
import { asProblem } from "@/api/problem";
import { appStrings } from "@/app/strings";
import { useLanguage, useStrings } from "@/shared/language";
import { useTitle } from "@/shared/Page";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { wordsFor } from "@/shared/problem-words";
import { Answer, type AnswerActions } from "./Answer";
import { Composer } from "./Composer";
import { useConversations } from "./conversations";
import { type Shown, SidePanel } from "./SidePanel";
import { chatStrings } from "./strings";
import { Transcript } from "./Transcript";
import { activityOf, type TurnView } from "./turn-view";
import { turns } from "./turns";
import { useTurns } from "./use-turns";
import { Welcome } from "./Welcome";
import "./chat.css";

export default function ChatPage() {
  const t = useStrings(chatStrings);
  const app = useStrings(appStrings);
  const language = useLanguage();
  const { message } = App.useApp();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const conversationId = useParams().conversationId ?? "";
  const { all, isPending, error, refetch } = useTurns(conversationId);
  const [draft, setDraft] = useState("");
  const [domains, setDomains] = useState<readonly string[]>([]);
  const [shown, setShown] = useState<Shown | null>(null);
  const here = useRef(conversationId);
  here.current = conversationId;
  const title = useConversations()
    .data?.pages.flatMap((page) => page.conversations)
    .find(({ conversation_id }) => conversation_id === conversationId)?.title;
  useTitle(title || (conversationId ? app.chat : t.newChat));

  const last = all.at(-1);
  const running = all.find((turn) => activityOf(turn) !== null);
  const shownTurn = shown && (all.find(({ key, turnId }) => key === shown.key || turnId === shown.key) ?? null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown beside belongs to its conversation
  useEffect(() => () => setShown(null), [conversationId]);

  const send = useCallback(
    async (question: string) => {
      const from = here.current;
      const ended = await turns.ask(
        {
          message: question,
          conversation_id: from || null,
          time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
          domains: domains.length ? [...domains] : null,
        },
        (accepted) => {
          if (!from && here.current === "") navigate(`/chat/${accepted}`, { replace: true });
          void queries.invalidateQueries({ queryKey: ["conversations"] });
        },
      );
      if (ended.failure?.reason === "conversation_busy" && ended.failure.problem) {
        // The question was not taken: back into the input with it, and to what is being answered.
        turns.forget(ended.key);
        setDraft(question);
        void message.warning(wordsFor(ended.failure.problem, language));
        const readAgain = () => void queries.invalidateQueries({ queryKey: ["turns", "of", from] });
        turns.watch(from, readAgain).catch(console.warn);
      }
      void queries.invalidateQueries({ queryKey: ["conversations"] });
    },
    [domains, language, message, navigate, queries],
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
        if (!turn.turnId) turns.forget(turn.key);
        void send(turn.question);
      },
      openSource: (key, citationId) => setShown({ kind: "source", key, citationId }),
      openDetails: (key) => setShown({ kind: "turn", key }),
    }),
    [send],
  );

  return (
    <div className="chat">
      <div className="chat-main">
        {conversationId && <h1 className="visually-hidden">{title || t.untitled}</h1>}
        <Transcript place={`${conversationId} ${all.length}`}>
          {error && all.length === 0 && <ProblemNotice error={error} onRetry={() => void refetch()} />}
          {isPending && <Skeleton active paragraph={{ rows: 6 }} />}
          {!isPending && !error && all.length === 0 && <Welcome onAsk={actions.ask} />}
          {all.map((turn) => (
            <Answer key={turn.turnId || turn.key} turn={turn} isLast={turn === last} actions={actions} />
          ))}
        </Transcript>
        <div className="composer-box">
          <Composer
            value={draft}
            onChange={setDraft}
            domains={domains}
            onDomains={setDomains}
            onSend={(question) => {
              setDraft("");
              void send(question);
            }}
            onStop={running ? () => void stop(running) : null}
            onClose={() => setShown(null)}
            place={conversationId}
          />
        </div>
        <LiveStatus turn={running ?? null} last={last ?? null} />
      </div>
      {shown && shownTurn && (
        <SidePanel shown={shown} turn={shownTurn} onShow={setShown} onClose={() => setShown(null)} />
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
  const ended = last?.failure ? "" : last?.finishReason === "cancelled" ? t.stopped : t.answered;
  const text = activity ? t.activity(activity) : wasRunning.current ? ended : "";
  useEffect(() => {
    if (activity) wasRunning.current = true;
  }, [activity]);
  return (
    <p className="visually-hidden" role="status">
      {text}
    </p>
  );
}
