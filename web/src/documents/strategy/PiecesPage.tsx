import { ArrowLeftOutlined, FileSearchOutlined, LockOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useState } from "react";
import { Link, useParams, useSearchParams } from "react-router";
import { asProblem } from "@/api/problem";
import { Loading } from "@/app/Loading";
import { Empty } from "@/shared/Empty";
import { useStrings } from "@/shared/language";
import { Page } from "@/shared/Page";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { sharedStrings } from "@/shared/strings";
import { useFormats } from "@/shared/time";
import { StateTag } from "../DocumentStateView";
import type { Document } from "../following";
import { Missing } from "../Missing";
import { useDocument } from "../queries";
import { Decision } from "./Decision";
import { PieceList } from "./PieceList";
import { usePieces } from "./queries";
import { StrategyChooser } from "./StrategyChooser";
import { choices } from "./strategies";
import { strategyStrings } from "./strings";
import "../documents.css";
import "./strategy.css";

/** A document as each strategy would cut it, and the choice of one. */
export default function PiecesPage() {
  const { documentId = "" } = useParams();
  const { data, error, isPending, refetch } = useDocument(documentId);
  if (isPending) return <Loading />;
  if (!data || (error && asProblem(error).status === 404))
    return <Missing error={error} onRetry={() => void refetch()} />;
  return <Shown document={data} />;
}

function Shown({ document }: { document: Document }) {
  const t = useStrings(strategyStrings);
  return (
    <Page
      title={t.piecesOf(document.title)}
      intro={
        <span className="document-intro">
          <StateTag document={document} /> {t.intro}
        </span>
      }
      actions={
        <Link to={`/documents/${document.id}`}>
          <Button icon={<ArrowLeftOutlined aria-hidden />} tabIndex={-1}>
            {t.backToDocument}
          </Button>
        </Link>
      }
    >
      <Content document={document} />
    </Page>
  );
}

function Content({ document }: { document: Document }) {
  const t = useStrings(strategyStrings);
  if (!document.mine) return <Empty icon={<LockOutlined aria-hidden />} title={t.ownersOnly} text={t.ownersOnlyText} />;
  if (!document.strategy) {
    const [title, text] = document.state === "FAILED" ? [t.neverRead, t.neverReadText] : [t.notParsed, t.notParsedText];
    return <Empty icon={<FileSearchOutlined aria-hidden />} title={title} text={text} />;
  }
  return <Pieces document={document} />;
}

function Pieces({ document }: { document: Document }) {
  const t = useStrings(strategyStrings);
  const [parameters, setParameters] = useSearchParams();
  const { id, recommended_strategy: recommended, strategy } = document;
  // The address keeps it over a reload; it follows too late for a radio button to wait for it.
  const [value, setValue] = useState(parameters.get("strategy") || strategy);
  // What is in use says what may be chosen, also when a preview of another fails.
  const [own] = usePieces(id, strategy, true).data?.pages ?? [];
  const current = document.answering ? strategy : "";
  function choose(next: string): void {
    setValue(next);
    setParameters(next === strategy ? {} : { strategy: next }, { replace: true, preventScrollReset: true });
  }
  return (
    <div className="pieces-page">
      <aside aria-label={t.choose}>
        <h2>{t.choose}</h2>
        <StrategyChooser
          strategies={choices(own?.available_strategies ?? [], recommended, strategy)}
          recommended={recommended}
          current={current}
          value={value}
          onChange={choose}
        />
        <Decision document={document} strategy={value} />
      </aside>
      <Preview
        document={document}
        strategy={value}
        before={current && value !== current ? own?.children_total : undefined}
      />
    </div>
  );
}

function Preview({ document, strategy, before }: { document: Document; strategy: string; before?: number }) {
  const t = useStrings(strategyStrings);
  const shared = useStrings(sharedStrings);
  const formats = useFormats();
  const found = usePieces(document.id, strategy, true);
  const pages = found.data?.pages ?? [];
  const [first] = pages;
  return (
    <section aria-busy={found.isFetching} className={found.isPlaceholderData ? "is-stale" : undefined}>
      <h2>{t.piecesTitle}</h2>
      <p className="pieces-total" role="status">
        {found.isPending || found.isPlaceholderData
          ? t.cutting
          : first && t.pieces(formats.number(first.children_total), formats.number(first.parents_total))}
        {!found.isPlaceholderData && first && before !== undefined && (
          <span className="is-soft"> · {t.before(formats.number(before))}</span>
        )}
      </p>
      {found.isError && <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />}
      {first && first.children_total === 0 && <p className="is-soft">{t.none}</p>}
      {first && <PieceList pieces={pages.flatMap((page) => page.chunks)} />}
      {found.hasNextPage && !found.isPlaceholderData && (
        <div className="load-more">
          <Button loading={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            {shared.loadMore}
          </Button>
        </div>
      )}
    </section>
  );
}
