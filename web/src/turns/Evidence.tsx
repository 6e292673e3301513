import { Link } from "react-router";
import type { Schemas } from "@/api/client";
import { useStrings } from "@/shared/language";
import { turnStrings } from "./strings";

/** What the answer was made of. */
export function Evidence({ sources }: { sources: readonly Schemas["Source"][] }) {
  const t = useStrings(turnStrings);
  if (sources.length === 0) return <p className="soft">{t.noEvidence}</p>;
  return (
    <ol className="evidence">
      {sources.map((source) => (
        <li key={source.citation_id} value={source.citation_id}>
          <Link to={`/documents/${source.document_id}`}>{source.title}</Link>
          {source.heading_path.length > 0 && <small>{source.heading_path.join(" › ")}</small>}
          <p>{source.snippet}</p>
        </li>
      ))}
    </ol>
  );
}
