import type { Schemas } from "@/api/client";
import { useStrings } from "@/shared/language";
import { useFormats } from "@/shared/time";
import { spansOf } from "./hits";
import { retrievalStrings } from "./strings";

/** Where the time went, as bars to one scale. */
export function Timings({ timings }: { timings: Schemas["Timings"] }) {
  const t = useStrings(retrievalStrings);
  const formats = useFormats();
  const { spans, total } = spansOf(timings);
  return (
    <>
      <div className="timing-lanes" aria-hidden="true">
        {spans.map(({ name, lane, from, to }) => (
          <span
            key={name}
            className={`timing is-${name}`}
            style={{ gridRow: lane + 1, left: `${(100 * from) / total}%`, width: `${(100 * (to - from)) / total}%` }}
          />
        ))}
      </div>
      <ul className="timing-names">
        {spans.map(({ name, from, to }) => (
          <li key={name}>
            <span className={`timing-key is-${name}`} aria-hidden="true" />
            {t.timingNames(name)} <span className="is-soft">{formats.duration(to - from)}</span>
          </li>
        ))}
        <li className="is-soft">{t.total(formats.duration(total))}</li>
      </ul>
    </>
  );
}
