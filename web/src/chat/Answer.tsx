/** One turn: the question, what happens meanwhile, the answer, and what one can do with it. */
import { CheckCircleOutlined, CloseCircleOutlined, LoadingOutlined, ReloadOutlined } from "@ant-design/icons";
import { Alert, Button } from "antd";
import { memo, useCallback, useState } from "react";
import { CopyButton } from "@/shared/CopyButton";
import { useLanguage, useStrings } from "@/shared/language";
import { causeOf, wordsFor } from "@/shared/problem-words";
import { sharedStrings } from "@/shared/strings";
import { useFormats } from "@/shared/time";
import { toolName, turnStrings } from "@/turns/strings";
import { useTurn } from "@/turns/use-turn";
import { Markdown } from "./markdown/Markdown";
import { PlanLine } from "./PlanLine";
import { Question } from "./Question";
import { activityInWords, chatStrings } from "./strings";
import { activityOf, isOver, keyOf, type ToolStep, type TurnView, wasStopped } from "./turn-view";

export interface AnswerActions {
  ask(question: string): void;
  /** Asks once more what failed. */
  askAgain(turn: TurnView): void;
  /** Answers the last turn anew, or another question in its place. */
  replace(turn: TurnView, question: string): void;
  /** Keeps in the input what was typed elsewhere, unless something stands there. */
  keep(question: string): void;
  /** `key` is the turn's id, or its key as long as it has none. */
  openSource(key: string, citationId: number): void;
  openDetails(key: string): void;
}

interface AnswerProps {
  turn: TurnView;
  isLast: boolean;
  actions: AnswerActions;
}

/** A turn; until `isDrawn` only its words stand there, to be found and read. */
export const Answer = memo(function Answer({ isDrawn, ...shown }: AnswerProps & { isDrawn: boolean }) {
  const t = useStrings(chatStrings);
  const { turn } = shown;
  return (
    <article className="turn" style={{ containIntrinsicBlockSize: `auto ${heightOf(turn)}px` }}>
      {isDrawn ? (
        <Drawn {...shown} />
      ) : (
        <>
          <h2 className="visually-hidden">{t.you}</h2>
          <Question text={turn.question} onEdit={null} onKept={shown.actions.keep} />
          <h2 className="visually-hidden">{t.assistant}</h2>
          <div className="undrawn">{turn.text.replace(MARKS, "")}</div>
        </>
      )}
    </article>
  );
});

const MARKS = /\[\d{1,3}\]|[*_`#|]/g;
const LINE_CHARACTERS = 80;
const LINE_PIXELS = 26;
const AROUND_PIXELS = 170;

/** About how high a turn is, for as long as it is too far away to be laid out. */
function heightOf({ text }: TurnView): number {
  return AROUND_PIXELS + Math.ceil(text.length / LINE_CHARACTERS) * LINE_PIXELS;
}

function Drawn({ turn, isLast, actions }: AnswerProps) {
  const t = useStrings(chatStrings);
  const activity = activityOf(turn);
  const { sources } = turn;
  const key = keyOf(turn);
  const citation = useCallback(
    (citationId: number) => {
      const source = sources.find(({ citation_id }) => citation_id === citationId);
      if (!source) return plainCitation(citationId);
      return (
        <button
          type="button"
          className="citation"
          aria-label={t.cite(citationId, source.title)}
          title={source.title}
          onClick={() => actions.openSource(key, citationId)}
        >
          {citationId}
        </button>
      );
    },
    [sources, t, actions, key],
  );
  const [planOpened, setPlanOpened] = useState(false);
  // Memory keeps neither plan nor tiers; the record has them, read for the last answer and where somebody looks.
  const wantsRecord = turn.plan === null && isOver(turn) && (isLast || planOpened);
  const record = useTurn(wantsRecord ? turn.turnId : "");
  const canReplace = isLast && activity === null && turn.turnId !== "";
  return (
    <>
      <h2 className="visually-hidden">{t.you}</h2>
      <Question
        text={turn.question}
        onEdit={canReplace ? (question) => actions.replace(turn, question) : null}
        onKept={actions.keep}
      />
      <h2 className="visually-hidden">{t.assistant}</h2>
      <div className="answer" aria-busy={activity !== null}>
        <Degradations tiers={record.data?.degraded ?? turn.degraded} />
        <PlanLine
          turn={turn}
          plan={turn.plan ?? record.data?.plan ?? null}
          isPending={record.isFetching}
          onOpen={() => setPlanOpened(true)}
        />
        {turn.thinking && <Thinking text={turn.thinking} open={!turn.text && activity !== null} />}
        {turn.tools.length > 0 && <Tools steps={turn.tools} />}
        {turn.former && (
          <div className="former">
            <Markdown text={turn.former.text} citation={plainCitation} />
          </div>
        )}
        {turn.text && <Markdown text={turn.text} citation={citation} />}
        {activity && (
          <p className="activity">
            <span className="pulse" aria-hidden="true" />
            {activityInWords(t, turn, activity)}
          </p>
        )}
        <Clarify turn={turn} isOpen={isLast && activity === null} onChoose={actions.ask} />
        <Ending turn={turn} onAskAgain={isLast ? () => actions.askAgain(turn) : null} />
        {activity === null && (
          <Footer
            turn={turn}
            actions={actions}
            onRegenerate={canReplace ? () => actions.replace(turn, turn.question) : null}
          />
        )}
        {isLast && activity === null && turn.followUps.length > 0 && (
          <FollowUps questions={turn.followUps} onAsk={actions.ask} />
        )}
      </div>
    </>
  );
}

/** A number of an answer that is being replaced: it opens nothing. */
const plainCitation = (citationId: number) => <span className="citation">{citationId}</span>;

/** What the answer had to do without, and why. */
function Degradations({ tiers }: { tiers: TurnView["degraded"] }) {
  const t = useStrings(chatStrings);
  const language = useLanguage();
  return tiers.map(({ tier, reason }) => (
    <Alert
      key={tier}
      type="warning"
      showIcon
      className="answer-note"
      title={t.degraded(tier.toLowerCase())}
      description={reason && t.degradedBecause(causeOf(reason, language))}
    />
  ));
}

function Thinking({ text, open }: { text: string; open: boolean }) {
  const t = useStrings(chatStrings);
  return (
    <details className="thinking" open={open}>
      <summary>{t.thinking}</summary>
      <div>{text}</div>
    </details>
  );
}

function Tools({ steps }: { steps: readonly ToolStep[] }) {
  const t = useStrings(chatStrings);
  const names = useStrings(turnStrings);
  const f = useFormats();
  return (
    <ul className="tools">
      {steps.map((step) => (
        <li key={step.id}>
          <details>
            <summary>
              {step.result === null ? (
                <LoadingOutlined aria-label={t.toolRunning} />
              ) : step.result.ok ? (
                <CheckCircleOutlined className="good" aria-hidden="true" />
              ) : (
                <CloseCircleOutlined className="bad" aria-label={t.toolFailed} />
              )}
              <strong>{toolName(names, step.name)}</strong>
              <span className="tool-arguments">{Object.values(step.arguments).map(String).join(", ")}</span>
              {step.result && <span className="soft">{f.duration(step.result.durationMs)}</span>}
            </summary>
            <pre>{step.result?.summary || JSON.stringify(step.arguments, null, 2)}</pre>
          </details>
        </li>
      ))}
    </ul>
  );
}

function Clarify({ turn, isOpen, onChoose }: { turn: TurnView; isOpen: boolean; onChoose: (choice: string) => void }) {
  const t = useStrings(chatStrings);
  if (!turn.clarify) return null;
  const { question, choices } = turn.clarify;
  return (
    <div className="clarify">
      {!turn.text && <p>{question}</p>}
      {choices.length > 0 && (
        <fieldset className="choices" aria-label={t.choicesLabel} disabled={!isOpen}>
          {choices.map((choice) => (
            <Button key={choice} onClick={() => onChoose(choice)}>
              {choice}
            </Button>
          ))}
        </fieldset>
      )}
    </div>
  );
}

/** How the turn ended, when that needs saying. */
function Ending({ turn, onAskAgain }: { turn: TurnView; onAskAgain: (() => void) | null }) {
  const t = useStrings(chatStrings);
  const shared = useStrings(sharedStrings);
  const language = useLanguage();
  const failure = turn.again?.failure ?? turn.failure;
  if (failure) {
    const { problem, reason, message, retryable, retryAfterSeconds } = failure;
    const words = wordsFor({ reason, detail: message, retryAfterSeconds }, language);
    return (
      <Alert
        type="error"
        showIcon
        role="alert"
        className="answer-note"
        title={words || t.failed}
        description={problem?.traceId && <span className="small-print">{shared.traceId(problem.traceId)}</span>}
        action={
          retryable &&
          onAskAgain && (
            <Button size="small" icon={<ReloadOutlined aria-hidden />} onClick={onAskAgain}>
              {t.askAgain}
            </Button>
          )
        }
      />
    );
  }
  if (turn.again) return <p className="ending">{t.formerStays}</p>;
  const notes: Record<string, string> = { length: t.lengthReached, limit: t.limitReached, content_filter: t.filtered };
  const note = wasStopped(turn) ? t.stopped : notes[turn.finishReason];
  return note ? <p className="ending">{note}</p> : null;
}

interface FooterProps {
  turn: TurnView;
  actions: AnswerActions;
  onRegenerate: (() => void) | null;
}

function Footer({ turn, actions, onRegenerate }: FooterProps) {
  const t = useStrings(chatStrings);
  return (
    <div className="answer-footer">
      {turn.text && <CopyButton text={turn.text} label={t.copyAnswer} size="middle" />}
      {onRegenerate && (
        <Button
          type="text"
          icon={<ReloadOutlined aria-hidden />}
          aria-label={t.regenerate}
          title={t.regenerate}
          onClick={onRegenerate}
        />
      )}
      {turn.sources.length > 0 && (
        <Button type="text" onClick={() => actions.openSource(turn.turnId, turn.sources[0]?.citation_id ?? 0)}>
          {t.sources(turn.sources.length)}
        </Button>
      )}
      {turn.turnId && (
        <Button type="text" onClick={() => actions.openDetails(turn.turnId)}>
          {t.details}
        </Button>
      )}
    </div>
  );
}

function FollowUps({ questions, onAsk }: { questions: readonly string[]; onAsk: (question: string) => void }) {
  const t = useStrings(chatStrings);
  return (
    <section className="follow-ups" aria-label={t.followUpsLabel}>
      {questions.map((question) => (
        <button type="button" key={question} onClick={() => onAsk(question)}>
          {question}
        </button>
      ))}
    </section>
  );
}
