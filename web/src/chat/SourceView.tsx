import { FileTextOutlined, LeftOutlined, RightOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { Alert, Button, Skeleton } from "antd";
import { Fragment, useEffect, useRef } from "react";
import { Link } from "react-router";
import { answerOf, api, type Schemas } from "@/api/client";
import { asProblem } from "@/api/problem";
import { useStrings } from "@/shared/language";
import { highlighted } from "./highlighted";
import { Markdown } from "./markdown/Markdown";
import { chatStrings } from "./strings";
import type { TurnView } from "./turn-view";

interface SourceViewProps {
  turn: TurnView;
  citationId: number;
  onCitation: (citationId: number) => void;
}

/** The passage behind a citation, with what was found in it marked; the quoted excerpt when it cannot be had. */
export function SourceView({ turn, citationId, onCitation }: SourceViewProps) {
  const t = useStrings(chatStrings);
  const index = turn.sources.findIndex(({ citation_id }) => citation_id === citationId);
  const source = turn.sources[index];
  if (!source) return null;
  const previous = turn.sources[index - 1];
  const next = turn.sources[index + 1];
  return (
    <div className="source">
      <h3>
        <FileTextOutlined aria-hidden="true" /> {source.title}
      </h3>
      <Place passage={source} />
      <Passages key={citationId} source={source} />
      <div className="source-actions">
        <Link to={`/documents/${source.document_id}`}>{t.openDocument}</Link>
        <span className="source-steps">
          {[previous, next].map((other, step) => (
            <Button
              // biome-ignore lint/suspicious/noArrayIndexKey: always these two
              key={step}
              size="small"
              type="text"
              icon={step === 0 ? <LeftOutlined aria-hidden /> : <RightOutlined aria-hidden />}
              disabled={!other}
              aria-label={other ? t.cite(other.citation_id, other.title) : undefined}
              aria-hidden={!other}
              onClick={() => other && onCitation(other.citation_id)}
            />
          ))}
        </span>
      </div>
    </div>
  );
}

function Passages({ source }: { source: Schemas["Source"] }) {
  const t = useStrings(chatStrings);
  const { document_id: documentId, child_ids: chunkIds } = source;
  const { data, error, isPending } = useQuery({
    queryKey: ["passages", documentId, chunkIds],
    queryFn: () =>
      answerOf(
        api.GET("/api/v1/documents/{document_id}/passages", {
          params: { path: { document_id: documentId }, query: { chunk_id: chunkIds } },
        }),
      ),
    enabled: chunkIds.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (isPending && chunkIds.length > 0) return <Skeleton active paragraph={{ rows: 8 }} />;
  if (data && data.passages.length > 0) {
    return data.passages.map((passage, index) => (
      <Fragment key={passage.parent_id}>
        {index > 0 && <Place passage={passage} />}
        <Marked passage={passage} chunkIds={chunkIds} />
      </Fragment>
    ));
  }
  const isGone = error !== null && asProblem(error).reason === "unknown_document";
  return (
    <>
      <Alert type="info" showIcon title={isGone ? t.passageGone : t.passageMissing} className="source-note" />
      <blockquote className="passage">{source.snippet}</blockquote>
    </>
  );
}

function Marked({ passage, chunkIds }: { passage: Schemas["DocumentPassage"]; chunkIds: readonly string[] }) {
  const first = useRef<HTMLDivElement>(null);
  const ranges = passage.children.filter(({ chunk_id }) => chunkIds.includes(chunk_id));
  const parts = highlighted(passage.text, ranges);
  const firstMarked = parts.findIndex(({ marked }) => marked);
  useEffect(() => {
    if (firstMarked > 0) first.current?.scrollIntoView({ block: "center" });
  }, [firstMarked]);
  return (
    <blockquote className="passage">
      {parts.map((part, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place
          key={index}
          // Where everything was found there is nothing to point at.
          className={part.marked && parts.length > 1 ? "found" : undefined}
          ref={index === firstMarked ? first : undefined}
        >
          <Markdown text={part.text} citation={AS_TEXT} />
        </div>
      ))}
    </blockquote>
  );
}

// Numbers in brackets are the document's own.
const AS_TEXT = () => null;

function Place({ passage }: { passage: Pick<Schemas["Source"], "heading_path" | "page_from" | "page_to"> }) {
  const t = useStrings(chatStrings);
  const { page_from: from, page_to: to } = passage;
  const parts = [...passage.heading_path, ...(from ? [t.page(from, to ?? from)] : [])];
  return parts.length > 0 ? <p className="source-place">{parts.join(" › ")}</p> : null;
}
