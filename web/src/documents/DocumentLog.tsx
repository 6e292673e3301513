import { Loading } from "@/app/Loading";
import { useStrings } from "@/shared/language";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { useFormats } from "@/shared/time";
import { useFailureWords } from "./DocumentStateView";
import type { Document } from "./following";
import { useDocumentLog } from "./queries";
import { useSentenceWords } from "./server-words";
import { type StageName, useStateWords } from "./state-words";
import { documentStrings } from "./strings";

/** What happened to a document, oldest first; read again whenever the document changes. */
export function DocumentLog({ document }: { document: Document }) {
  const t = useStrings(documentStrings);
  const words = useStateWords();
  const formats = useFormats();
  const inWords = useSentenceWords();
  const why = useFailureWords(document);
  const { data, error, isPending, refetch } = useDocumentLog(document.id, `${document.updated_at}`);
  if (isPending) return <Loading />;
  if (!data) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (data.entries.length === 0) return <p className="is-soft">{t.logEmpty}</p>;
  return (
    <ol className="document-log">
      {data.entries.map((entry, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries are only ever added at the end
        <li key={position} className={`is-${entry.level}`}>
          <time dateTime={entry.at}>{formats.exactTime(entry.at)}</time>
          <span className="log-stage">{words.stages[entry.stage as StageName] ?? entry.stage}</span>
          <span>
            {entry.level !== "info" && <strong>{t.levels(entry.level)} </strong>}
            {why && entry.message === document.failure?.message ? why.what : inWords(entry.message)}
          </span>
        </li>
      ))}
    </ol>
  );
}
