import { ArrowLeftOutlined, DeleteOutlined, EditOutlined, ReloadOutlined, SearchOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { lazy, Suspense, useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { asProblem } from "@/api/problem";
import { Loading } from "@/app/Loading";
import { useStrings } from "@/shared/language";
import { Page } from "@/shared/Page";
import { Badges } from "./Badges";
import { DocumentFacts } from "./DocumentFacts";
import { DocumentLog } from "./DocumentLog";
import { Failure, UnderWay } from "./DocumentNotices";
import { StateTag } from "./DocumentStateView";
import { editingStrings } from "./editing/strings";
import type { Document } from "./following";
import { Missing } from "./Missing";
import { useDocument } from "./queries";
import { StageTimeline } from "./StageTimeline";
import { StrategySection } from "./strategy/StrategySection";
import { documentStrings } from "./strings";
import { useDelete } from "./use-delete";
import { mayReprocess, useReprocess } from "./use-reprocess";
import "./documents.css";
import "./document.css";

const EditDialog = lazy(() => import("./editing/EditDialog"));

export default function DocumentPage() {
  const { documentId = "" } = useParams();
  const { data, error, isPending, refetch } = useDocument(documentId);
  if (isPending) return <Loading />;
  if (!data || (error && asProblem(error).status === 404))
    return <Missing error={error} onRetry={() => void refetch()} />;
  return <Shown document={data} />;
}

function Shown({ document }: { document: Document }) {
  const t = useStrings(documentStrings);
  const editing = useStrings(editingStrings);
  const navigate = useNavigate();
  const [isEditing, setEditing] = useState(false);
  const reprocess = useReprocess();
  const remove = useDelete(() => void navigate("/documents"));
  const { answering, id, mine, state, title } = document;
  return (
    <Page
      title={title}
      intro={
        <span className="document-intro">
          <StateTag document={document} /> {document.file_name} <Badges document={document} />
        </span>
      }
      actions={
        <>
          <Link to="/documents">
            <Button icon={<ArrowLeftOutlined aria-hidden />} tabIndex={-1}>
              {t.backToList}
            </Button>
          </Link>
          {answering && (
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
            <div className="section-head">
              <h2>{t.processing}</h2>
              {mayReprocess(document) && (
                <Button size="small" icon={<ReloadOutlined aria-hidden />} onClick={() => reprocess(document)}>
                  {t.reprocess}
                </Button>
              )}
            </div>
            <StageTimeline document={document} />
          </section>
          <StrategySection document={document} />
          <section>
            <h2>{t.log}</h2>
            {mine ? <DocumentLog document={document} /> : <p className="is-soft">{t.logForOwner}</p>}
          </section>
        </div>
        <aside aria-label={t.facts}>
          <div className="section-head">
            <h2>{t.facts}</h2>
            {mine && state !== "DELETING" && (
              <Button
                type="link"
                size="small"
                className="edit-button"
                icon={<EditOutlined aria-hidden />}
                onClick={() => setEditing(true)}
              >
                {editing.edit}
              </Button>
            )}
          </div>
          <DocumentFacts document={document} />
        </aside>
      </div>
      {isEditing && (
        <Suspense fallback={null}>
          <EditDialog document={document} onClose={() => setEditing(false)} />
        </Suspense>
      )}
    </Page>
  );
}
