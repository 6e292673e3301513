import { ArrowLeftOutlined, DeleteOutlined, FileUnknownOutlined, SearchOutlined } from "@ant-design/icons";
import { Alert, Button, Progress } from "antd";
import { Link, useNavigate, useParams } from "react-router";
import { asProblem } from "@/api/problem";
import { Loading } from "@/app/Loading";
import { Empty } from "@/shared/Empty";
import { useLanguage, useStrings } from "@/shared/language";
import { Page } from "@/shared/Page";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { wordsForReason } from "@/shared/problem-words";
import { DocumentFacts } from "./DocumentFacts";
import { DocumentLog } from "./DocumentLog";
import { StateTag, useFailureWords } from "./DocumentStateView";
import type { Document } from "./following";
import { useDocument } from "./queries";
import { StageTimeline } from "./StageTimeline";
import { strategyWords, useSentenceWords } from "./server-words";
import { isSettled } from "./state-words";
import { documentStrings } from "./strings";
import { useDelete } from "./use-delete";
import "./documents.css";

export default function DocumentPage() {
  const t = useStrings(documentStrings);
  const language = useLanguage();
  const { documentId = "" } = useParams();
  const { data, error, isPending, refetch } = useDocument(documentId);
  if (isPending) return <Loading />;
  const problem = error && asProblem(error);
  const isGone = problem?.status === 404;
  if (data && !isGone) return <Shown document={data} />;
  return (
    <Page title={t.document}>
      {isGone ? (
        <Empty
          icon={<FileUnknownOutlined aria-hidden />}
          title={wordsForReason("unknown_document", problem.detail, language)}
          text={t.gone}
        >
          <Link to="/documents">
            <Button tabIndex={-1}>{t.backToList}</Button>
          </Link>
        </Empty>
      ) : (
        <ProblemNotice error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

function Shown({ document }: { document: Document }) {
  const t = useStrings(documentStrings);
  const navigate = useNavigate();
  const remove = useDelete(() => void navigate("/documents"));
  const { id, mine, state, title } = document;
  return (
    <Page
      title={title}
      intro={
        <span className="document-intro">
          <StateTag state={state} /> {document.file_name}
        </span>
      }
      actions={
        <>
          <Link to="/documents">
            <Button icon={<ArrowLeftOutlined aria-hidden />} tabIndex={-1}>
              {t.backToList}
            </Button>
          </Link>
          {state === "READY" && (
            <Link to={`/retrieval?document=${id}`}>
              <Button icon={<SearchOutlined aria-hidden />} tabIndex={-1}>
                {t.testRetrieval}
              </Button>
            </Link>
          )}
          {mine && state !== "DELETING" && (
            <Button
              danger
              icon={<DeleteOutlined aria-hidden />}
              aria-label={t.remove(title)}
              onClick={() => remove(document)}
            >
              {t.delete}
            </Button>
          )}
        </>
      }
    >
      <div className="document-detail">
        <div>
          <Failure document={document} />
          <UnderWay document={document} />
          <section>
            <h2>{t.processing}</h2>
            <StageTimeline document={document} />
          </section>
          <Strategy document={document} />
          <section>
            <h2>{t.log}</h2>
            {mine ? <DocumentLog document={document} /> : <p className="is-soft">{t.logForOwner}</p>}
          </section>
        </div>
        <aside aria-label={t.facts}>
          <h2>{t.facts}</h2>
          <DocumentFacts document={document} />
        </aside>
      </div>
    </Page>
  );
}

function Failure({ document }: { document: Document }) {
  const t = useStrings(documentStrings);
  const why = useFailureWords(document);
  const said = document.failure?.message;
  if (!why) return null;
  return (
    <Alert
      type="error"
      showIcon
      role="alert"
      className="document-failure"
      title={why.what}
      description={
        <>
          <p>
            <strong>{t.todo}</strong>
            {why.todo}
          </p>
          {said && said !== why.what && <p className="small-print">{t.serviceSaid(said)}</p>}
        </>
      }
    />
  );
}

function UnderWay({ document }: { document: Document }) {
  const t = useStrings(documentStrings);
  const language = useLanguage();
  const { progress, state, waiting_reason: waiting } = document;
  if (isSettled(state) || state === "DELETING") return null;
  return (
    <div className="under-way">
      <Progress percent={progress} aria-label={t.progressOf(document.title)} format={() => t.percent(progress)} />
      {waiting && (
        <Alert type="warning" showIcon role="status" title={t.waits(wordsForReason(waiting, waiting, language))} />
      )}
    </div>
  );
}

function Strategy({ document }: { document: Document }) {
  const t = useStrings(documentStrings);
  const language = useLanguage();
  const inWords = useSentenceWords();
  const { strategy, strategy_reasons: reasons } = document;
  if (!strategy && isSettled(document.state)) return null;
  return (
    <section>
      <h2>{t.strategy}</h2>
      {strategy ? (
        <>
          <p className="strategy-name">{strategyWords(strategy, language)}</p>
          <ul className="reasons">
            {reasons.map((reason) => (
              <li key={reason}>{inWords(reason)}</li>
            ))}
          </ul>
        </>
      ) : (
        <p className="is-soft">{t.noStrategy}</p>
      )}
    </section>
  );
}
