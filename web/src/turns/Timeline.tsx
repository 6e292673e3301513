import { useStrings } from "@/shared/language";
import { useFormats } from "@/shared/time";
import { useNow } from "@/shared/use-now";
import { Detail } from "./Detail";
import { type Stage, timeline } from "./figures";
import { stageName, turnStrings } from "./strings";

/** How often a stage that still runs is drawn anew. */
const TICK_MS = 250;

/** Stages to one scale of time; each opens into what it saw, decided and found. */
export function Timeline({ stages }: { stages: readonly Stage[] }) {
  const t = useStrings(turnStrings);
  const f = useFormats();
  const now = useNow(
    stages.some(({ state }) => state === "STARTED"),
    TICK_MS,
  );
  const { bars } = timeline(stages, now);
  return (
    <ol className="timeline">
      {bars.map(({ stage, left, width, durationMs }) => (
        <li key={`${stage.name} ${stage.started_at}`} className={`stage-${stage.state.toLowerCase()}`}>
          <details>
            <summary>
              <span className="stage-name">{stageName(t, stage.name)}</span>
              <span className="stage-track" aria-hidden="true">
                <span className="stage-bar" style={{ left: `${left * 100}%`, width: `${width * 100}%` }} />
              </span>
              <span className="stage-duration">{f.duration(durationMs)}</span>
            </summary>
            <Detail value={stage.detail} />
          </details>
        </li>
      ))}
    </ol>
  );
}
