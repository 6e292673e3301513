import { Link } from "react-router";
import type { Schemas } from "@/api/client";
import { useStrings } from "@/shared/language";
import { candidateStrings } from "./candidate-strings";
import { methodOf } from "./candidates";
import { FateView } from "./FateView";
import { fateOfCandidate } from "./hits";
import { Score, Sum } from "./Score";
import { retrievalStrings } from "./strings";
import "./candidates.css";

/** Every passage that got as far as being ranked: what placed it there, and why it was taken or not. */
export function CandidateTable({ preview }: { preview: Schemas["PreviewAnswer"] }) {
  const t = useStrings(candidateStrings);
  const words = useStrings(retrievalStrings);
  const { candidates, fusion } = preview;
  const best = Math.max(0, ...candidates.map(({ fused }) => fused));
  const method = methodOf(candidates, fusion.method);
  return (
    <section className="candidates">
      <h2>{t.title(candidates.length)}</h2>
      <p className="is-soft">
        {t.hint} {candidates.length > 0 && t.methods(method)}
      </p>
      {candidates.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className="hits-scroll" tabIndex={0} aria-label={t.region}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t.rank}</th>
                <th scope="col">{t.passage}</th>
                <th scope="col">{t.score}</th>
                <th scope="col">{t.outcome}</th>
              </tr>
            </thead>
            <tbody>
              {candidates.map((candidate, position) => (
                <tr key={candidate.parent_id} className={candidate.dropped ? "is-dropped" : undefined}>
                  <td>{position + 1}</td>
                  <td className="candidate-passage">
                    <Link to={`/documents/${candidate.document_id}`} aria-label={words.openDocument(candidate.title)}>
                      {candidate.title}
                    </Link>
                    {candidate.heading_path.length > 0 && (
                      <span className="is-soft">{candidate.heading_path.join(" › ")}</span>
                    )}
                    <Sum candidate={candidate} rank={position + 1} severalLists={method === "lists"} fusion={fusion} />
                  </td>
                  <td>
                    <Score candidate={candidate} best={best} />
                  </td>
                  <td>
                    <FateView fate={fateOfCandidate(candidate)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}
