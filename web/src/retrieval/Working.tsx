import type { Schemas } from "@/api/client";
import { useStrings } from "@/shared/language";
import { useFormats } from "@/shared/time";
import { useIndexStatus } from "./queries";
import { retrievalStrings } from "./strings";
import { Timings } from "./Timings";
import "./working.css";

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
          {preview.variants.map((variant, position) => (
            <dd key={preview.variant_kinds[position]} className="variant">
              {preview.variants.length > 1 && (
                <span className="is-soft">{t.forms(preview.variant_kinds[position] ?? "")}: </span>
              )}
              {variant}
            </dd>
          ))}
        </div>
        <Rules preview={preview} />
        {status && (
          <>
            <div>
              <dt>{t.index}</dt>
              <dd>{t.indexSize(formats.number(status.documents), formats.number(status.children))}</dd>
            </div>
            <div>
              <dt>{t.embedder}</dt>
              <dd>{status.embedding_model}</dd>
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
      <Timings timings={preview.timings} />
    </aside>
  );
}

/** What the ranking went by: floors, fusion, reranker. */
function Rules({ preview }: { preview: Preview }) {
  const t = useStrings(retrievalStrings);
  const { figures, percent } = useFormats();
  const { fusion, rerank } = preview;
  const { related } = fusion;
  return (
    <>
      <div>
        <dt>{t.floors}</dt>
        <dd>{t.floor(figures(fusion.vector_floor))}</dd>
        {fusion.cross_script_floor !== fusion.vector_floor && (
          <dd>{t.floorAcross(figures(fusion.cross_script_floor))}</dd>
        )}
        <dd>{t.keywordFloor(percent(fusion.keyword_floor))}</dd>
        {related && <dd>{t.relatedFloors(figures(related.han), figures(related.other), figures(related.across))}</dd>}
      </div>
      <div>
        <dt>{t.fusion}</dt>
        <dd>
          {fusion.method === "weighted"
            ? t.weighted(percent(fusion.vector_weight), percent(1 - fusion.vector_weight))
            : t.byRank(fusion.rank_constant)}
        </dd>
        <dd>{t.perSource(fusion.per_source)}</dd>
      </div>
      <div>
        <dt>{t.rerank}</dt>
        <dd>
          {rerank === "" && t.rerankOff}
          {rerank === "done" && t.rerankDone}
          {rerank !== "" && rerank !== "done" && t.rerankNot(t.rerankReasons(rerank))}
        </dd>
      </div>
    </>
  );
}
