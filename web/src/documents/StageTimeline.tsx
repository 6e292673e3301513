import { CheckCircleFilled, CloseCircleFilled, LoadingOutlined, MinusCircleOutlined } from "@ant-design/icons";
import { useStrings } from "@/shared/language";
import { useFormats } from "@/shared/time";
import type { Document } from "./following";
import { type StageName, type StageState, useStateWords } from "./state-words";
import { documentStrings } from "./strings";

const ICONS: Record<StageState, React.ReactNode> = {
  pending: <MinusCircleOutlined aria-hidden />,
  running: <LoadingOutlined aria-hidden />,
  completed: <CheckCircleFilled aria-hidden />,
  failed: <CloseCircleFilled aria-hidden />,
};

/** A document's stages in order: how each went, how long it took, what it found. */
export function StageTimeline({ document }: { document: Document }) {
  const t = useStrings(documentStrings);
  const words = useStateWords();
  const formats = useFormats();
  const counted = (name: string, count: number) => words.counts[name]?.[count === 1 ? 0 : 1] ?? name;
  return (
    <ol className="stages">
      {document.stages.map((stage) => {
        const state = stage.state as StageState;
        const counts = Object.entries(stage.counts).filter(([, count]) => count > 0);
        return (
          <li key={stage.name} className={`stage is-${state}`}>
            <span className="stage-icon" aria-hidden="true">
              {ICONS[state]}
            </span>
            <div>
              <div className="stage-head">
                <h3>{words.stages[stage.name as StageName] ?? stage.name}</h3>
                <span className="is-soft">
                  {state === "pending" && stage.started_at ? t.held : (words.stageStates[state] ?? stage.state)}
                </span>
                {stage.attempts > 1 && <span className="is-warning">{t.stageAttempts(stage.attempts)}</span>}
              </div>
              <p className="is-soft">
                {formats.time(stage.started_at)}
                {stage.started_at &&
                  stage.ended_at &&
                  ` · ${formats.duration(lasted(stage.started_at, stage.ended_at))}`}
              </p>
              {counts.length > 0 && (
                <p className="stage-counts">
                  {counts.map(([name, count]) => (
                    <span key={name}>
                      {name === "bytes" ? formats.size(count) : `${formats.number(count)} ${counted(name, count)}`}
                    </span>
                  ))}
                </p>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function lasted(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from));
}
