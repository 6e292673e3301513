import { Progress } from "antd";
import { useStrings } from "@/shared/language";
import { useFormats } from "@/shared/time";
import { type TurnFigures, timeline } from "./figures";
import { turnStrings } from "./strings";

/** Tokens, cost, and how much of each limit was used. */
export function UsageView({ figures }: { figures: TurnFigures }) {
  const t = useStrings(turnStrings);
  const f = useFormats();
  const { usage, plan, stages } = figures;
  const budget = plan?.budget;
  const limits = budget && [
    { name: t.modelCalls, used: usage?.modelCalls ?? 0, limit: budget.model_calls, words: f.number },
    { name: t.toolCalls, used: usage?.toolCalls ?? 0, limit: budget.tool_calls, words: f.number },
    { name: t.outputTokens, used: usage?.outputTokens ?? 0, limit: budget.max_output_tokens, words: f.number },
    { name: t.deadline, used: timeline(stages, Date.now()).totalMs, limit: budget.deadline_ms, words: f.duration },
  ];
  return (
    <>
      {usage && (
        <dl className="figures">
          <div>
            <dt>{t.model}</dt>
            <dd>{usage.model || "–"}</dd>
          </div>
          <div>
            <dt>{t.tokens}</dt>
            <dd>
              {f.number(usage.inputTokens)} / {f.number(usage.outputTokens)}
            </dd>
          </div>
          <div>
            <dt>{t.cost}</dt>
            <dd>{usage.cost.toFixed(4)}</dd>
          </div>
        </dl>
      )}
      <ul className="limits">
        {limits
          ?.filter(({ limit }) => limit > 0)
          .map(({ name, used, limit, words }) => (
            <li key={name}>
              <span>{name}</span>
              <span className="soft">{t.ofLimit(words(used), words(limit))}</span>
              <Progress
                percent={Math.min(100, (used / limit) * 100)}
                showInfo={false}
                size="small"
                aria-label={`${name}: ${t.ofLimit(words(used), words(limit))}`}
              />
            </li>
          ))}
      </ul>
    </>
  );
}
