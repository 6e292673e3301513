import { FileSearchOutlined, UploadOutlined } from "@ant-design/icons";
import { Alert, Button } from "antd";
import { Link, useSearchParams } from "react-router";
import type { Schemas } from "@/api/client";
import { Loading } from "@/app/Loading";
import { useHasReadable } from "@/documents/queries";
import { Empty } from "@/shared/Empty";
import { useLanguage, useStrings } from "@/shared/language";
import { Page } from "@/shared/Page";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { causeOf } from "@/shared/problem-words";
import { AskForm } from "./AskForm";
import { askedOf, parametersOf } from "./asking";
import { CandidateTable } from "./CandidateTable";
import { EvidenceCard } from "./EvidenceCard";
import { HitTable } from "./HitTable";
import { byChannel } from "./hits";
import { PlanPreview } from "./PlanPreview";
import { useIndexStatus, usePreview } from "./queries";
import { retrievalStrings } from "./strings";
import { Working } from "./Working";
import "@/documents/documents.css";
import "./retrieval.css";
import "./hits.css";

export default function RetrievalPage() {
  const t = useStrings(retrievalStrings);
  const [parameters, setParameters] = useSearchParams();
  const asked = askedOf(parameters);
  const found = usePreview(asked);
  const status = useIndexStatus();
  const hasReadable = useHasReadable();

  return (
    <Page title={t.title} intro={t.intro}>
      {status?.embedder_healthy === false && (
        <Alert type="warning" showIcon role="status" className="retrieval-notice" title={t.embedderDown} />
      )}
      <AskForm
        // The address is the truth: the browser's back fills the form anew.
        key={parameters.toString()}
        asked={asked}
        busy={found.isFetching}
        onAsk={(next) => {
          const wanted = parametersOf(next);
          if (wanted.toString() === parameters.toString()) void found.refetch();
          else setParameters(wanted);
        }}
      />
      {found.isError && <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />}
      {asked.question !== "" && found.isPending && <Loading />}
      {asked.question === "" && <Start isEmpty={hasReadable === false} />}
      {asked.question !== "" && found.data && <Result preview={found.data} />}
      {asked.question !== "" && <PlanPreview key={`plan of ${parameters}`} asked={asked} />}
    </Page>
  );
}

function Start({ isEmpty }: { isEmpty: boolean }) {
  const t = useStrings(retrievalStrings);
  return (
    <Empty
      icon={<FileSearchOutlined aria-hidden />}
      title={t.startTitle}
      text={isEmpty ? t.noDocumentsText : t.startText}
    >
      {isEmpty && (
        <Link to="/documents">
          <Button type="primary" icon={<UploadOutlined aria-hidden />} tabIndex={-1}>
            {t.goToDocuments}
          </Button>
        </Link>
      )}
    </Empty>
  );
}

function Result({ preview }: { preview: Schemas["PreviewAnswer"] }) {
  const t = useStrings(retrievalStrings);
  const language = useLanguage();
  const { evidence, failures, hits, retrieval_mode: mode, unknown_domains: unknown } = preview;
  const channels = byChannel(hits);
  const bestKeyword = Math.max(0, ...evidence.map(({ scores }) => scores.keyword ?? 0));
  const isPartial = t.modeTexts(mode);
  const failed = failures.map(({ channel, reason }) => {
    const why = t.failureReasons(reason);
    return t.failed(t.channels(channel), why === reason ? causeOf(reason, language) : why);
  });
  return (
    <>
      {unknown.length > 0 && (
        <Alert
          type="warning"
          showIcon
          role="status"
          className="retrieval-notice"
          title={t.unknownDomains(unknown.join(", "))}
        />
      )}
      {(isPartial || failures.length > 0) && (
        <Alert
          type="warning"
          showIcon
          role="status"
          className="retrieval-notice"
          title={isPartial || failed[0]}
          description={isPartial ? failed.join(" ") : failed.slice(1).join(" ")}
        />
      )}
      <div className="retrieval-result">
        <section className="evidences" aria-live="polite">
          {evidence.length > 0 ? (
            <>
              <h2>{t.evidence(evidence.length)}</h2>
              <p className="is-soft">{t.evidenceHint}</p>
              {evidence.map((each) => (
                <EvidenceCard key={each.citation_id} evidence={each} bestKeyword={bestKeyword} />
              ))}
            </>
          ) : (
            <Empty
              icon={<FileSearchOutlined aria-hidden />}
              title={t.nothingTitle}
              text={hits.length > 0 ? t.nothingHits : t.nothingAtAll}
            />
          )}
        </section>
        <Working preview={preview} />
      </div>
      {hits.length > 0 && <CandidateTable preview={preview} />}
      {channels.length > 0 && (
        <section className="channel-hits">
          <h2>{t.hits}</h2>
          <p className="is-soft">{t.hitsHint}</p>
          <div>
            {channels.map(([channel, found]) => (
              <HitTable key={channel} channel={channel} hits={found} preview={preview} />
            ))}
          </div>
        </section>
      )}
    </>
  );
}
