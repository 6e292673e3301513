import type { Schemas } from "@/api/client";
import { useStrings } from "@/shared/language";
import { useFormats } from "@/shared/time";
import { spansOf } from "./hits";
import { useIndexStatus } from "./queries";
import { retrievalStrings } from "./strings";

type Preview = Schemas["PreviewAnswer"];

/** How the result came about: which channels, what was left out, where the time went. */
export function Working({ preview }: { preview: Preview }) {
  const t = useStrings(retrievalStrings);
  const formats = useFormats();
  const status = useIndexStatus();
  return (
    <aside className="working">
      <dl className="facts">
        <div>
          <dt>{t.mode}</dt>
          <dd>{t.modes(preview.retrieval_mode)}</dd>
        </div>
        <div>
          <dt>{t.searchedAs}</dt>
          {preview.variants.map((variant) => (
            <dd key={variant} className="variant">
              {variant}
            </dd>
          ))}
        </div>
        {status && (
          <>
            <div>
              <dt>{t.index}</dt>
              <dd>{t.indexSize(formats.number(status.documents), formats.number(status.children))}</dd>
            </div>
            <div>
              <dt>{t.embedder}</dt>
              <dd>
                {status.embedding_model} · {t.floor} {formats.score(status.vector_floor)}
              </dd>
            </div>
          </>
        )}
      </dl>
      <h2>{t.dropped}</h2>
      {preview.dropped.length === 0 ? (
        <p className="is-soft">{t.droppedNone}</p>
      ) : (
        <dl className="facts">
          {preview.dropped.map(({ reason, count }) => (
            <div key={reason}>
              <dt>
                <strong>{t.reasons(reason)}</strong> · {t.droppedCount(count)}
              </dt>
              <dd className="is-soft">{t.reasonTexts(reason)}</dd>
            </div>
          ))}
        </dl>
      )}
      <h2>{t.timings}</h2>
      <TimingBar timings={preview.timings} />
    </aside>
  );
}

function TimingBar({ timings }: { timings: Preview["timings"] }) {
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
