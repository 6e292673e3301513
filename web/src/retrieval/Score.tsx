import type { Schemas } from "@/api/client";
import { useStrings } from "@/shared/language";
import { useFormats } from "@/shared/time";
import { candidateStrings } from "./candidate-strings";
import { type Candidate, contributions, isWhole, summands } from "./candidates";
import { retrievalStrings } from "./strings";

interface ScoreProps {
  candidate: Candidate;
  /** The highest fused score of all candidates: the bar's full width. */
  best: number;
}

/** A fused score as a bar of what it comes from, with the numbers. */
export function Score({ candidate, best }: ScoreProps) {
  const t = useStrings(candidateStrings);
  const formats = useFormats();
  const found = contributions(candidate);
  return (
    <>
      <span className="stack" aria-hidden="true">
        {found.map(({ source, value }) => (
          <span key={source} className={`is-${source}`} style={{ width: `${best > 0 ? (100 * value) / best : 0}%` }} />
        ))}
      </span>
      <ul className="stack-names">
        {found.map(({ source, value }) => (
          <li key={source}>
            <span className={`stack-key is-${source}`} aria-hidden="true" />
            {t.sources(source)} {formats.figures(value)}
          </li>
        ))}
        <li className="stack-total">{t.total(formats.figures(candidate.fused))}</li>
        {candidate.rerank != null && <li className="stack-total">{t.rerank(formats.figures(candidate.rerank))}</li>}
      </ul>
      {candidate.exact.length > 0 && <p className="exact">{t.exact(candidate.exact.join(", "))}</p>}
    </>
  );
}

interface SumProps {
  candidate: Candidate;
  rank: number;
  severalLists: boolean;
  fusion: Schemas["FusionSettings"];
}

/** The arithmetic behind a fused score, line by line, and how the passage begins. */
export function Sum({ candidate, rank, severalLists, fusion }: SumProps) {
  const t = useStrings(candidateStrings);
  const words = useStrings(retrievalStrings);
  const { figures } = useFormats();
  return (
    <details className="sum">
      <summary aria-label={t.workingOf(rank)}>{t.working}</summary>
      <dl>
        {summands(candidate.parts, severalLists).map((part) => (
          <div key={`${part.list} ${part.channel}`}>
            <dt>
              {isWhole(part) ? t.whole(t.lists(part.list)) : t.part(t.lists(part.list), words.channels(part.channel))}
            </dt>
            <dd>
              {part.share == null
                ? t.byRank(
                    part.rank,
                    figures(part.score),
                    figures(part.weight),
                    fusion.rank_constant,
                    figures(part.value),
                  )
                : t.byShare(
                    part.rank,
                    figures(part.score),
                    figures(part.share),
                    figures(part.weight),
                    figures(part.value),
                  )}
            </dd>
          </div>
        ))}
        {candidate.bonuses.map(({ name, value }) => (
          <div key={name}>
            <dt>{t.bonuses(name)}</dt>
            <dd>+ {figures(value)}</dd>
          </div>
        ))}
      </dl>
      <blockquote>{candidate.text}</blockquote>
    </details>
  );
}
