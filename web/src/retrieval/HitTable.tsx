import type { Schemas } from "@/api/client";
import { useStrings } from "@/shared/language";
import { useFormats } from "@/shared/time";
import { FateView } from "./FateView";
import { fateOf, type Hit } from "./hits";
import { retrievalStrings } from "./strings";

interface HitTableProps {
  channel: string;
  hits: readonly Hit[];
  preview: Schemas["PreviewAnswer"];
}

/** What one channel found, in its own order, and what became of each hit. */
export function HitTable({ channel, hits, preview }: HitTableProps) {
  const t = useStrings(retrievalStrings);
  const formats = useFormats();
  const severalForms = preview.variants.length > 1;
  const best = Math.max(...hits.map((hit) => hit.score), 0);
  return (
    <div className="hits">
      <h3>{t.hitsOf(t.channels(channel), hits.length)}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="hits-scroll" tabIndex={0} aria-label={t.hitsOf(t.channels(channel), hits.length)}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t.rank}</th>
              <th scope="col">{t.document}</th>
              {severalForms && <th scope="col">{t.searchedAs}</th>}
              <th scope="col">{t.rawScore}</th>
              <th scope="col">{t.outcome}</th>
            </tr>
          </thead>
          <tbody>
            {hits.map((hit) => (
              <tr key={`${hit.variant}-${hit.rank}`} className={hit.dropped ? "is-dropped" : undefined}>
                <td>{hit.rank}</td>
                <td className="hit-title">
                  {hit.title}
                  {hit.heading_path.length > 0 && <span className="is-soft">{hit.heading_path.join(" › ")}</span>}
                </td>
                {severalForms && (
                  <td>{hit.channel !== "outline" && t.forms(preview.variant_kinds[hit.variant] ?? "")}</td>
                )}
                <td>
                  <span className="score-bar" aria-hidden="true">
                    <span style={{ width: `${best > 0 ? Math.max(0, (hit.score / best) * 100) : 0}%` }} />
                  </span>
                  {formats.score(hit.score)}
                </td>
                <td>
                  <FateView fate={fateOf(hit, preview.candidates)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}
