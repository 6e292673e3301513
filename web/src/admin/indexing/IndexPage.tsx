import { Alert, App, Button, Form, Progress, Select, Skeleton, Tag } from "antd";
import { useState } from "react";
import { Link } from "react-router";
import type { Schemas } from "@/api/client";
import { appStrings } from "@/app/strings";
import { useLanguage, useStrings } from "@/shared/language";
import { Page } from "@/shared/Page";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { causeOf } from "@/shared/problem-words";
import { sharedStrings } from "@/shared/strings";
import { useFormats } from "@/shared/time";
import { useFailureToast } from "@/shared/use-failure-toast";
import { useIndexStatus, useRebuild } from "./queries";
import { indexStrings } from "./strings";
import "../admin.css";
import "./indexing.css";

type Status = Schemas["RetrievalStatusAnswer"];

export default function IndexPage() {
  const app = useStrings(appStrings);
  const t = useStrings(indexStrings);
  const status = useIndexStatus();
  return (
    <Page title={app.index} intro={t.intro} actions={<Link to="/retrieval">{app.retrieval}</Link>}>
      {status.isPending && <Skeleton active paragraph={{ rows: 5 }} />}
      {status.isError && <ProblemNotice error={status.error} onRetry={() => void status.refetch()} />}
      {status.data && (
        <div className="index-status">
          <Notices status={status.data} />
          <Figures status={status.data} />
          {status.data.rebuild ? (
            <Run run={status.data.rebuild} modelInUse={status.data.embedding_model} />
          ) : (
            <Rebuilding status={status.data} />
          )}
        </div>
      )}
    </Page>
  );
}

function Notices({ status }: { status: Status }) {
  const t = useStrings(indexStrings);
  const language = useLanguage();
  const degraded = status.degraded ?? "";
  const why = t.reasons(degraded);
  return (
    <>
      {degraded !== "" && (
        <Alert
          type="warning"
          showIcon
          title={t.wordsOnly}
          description={why === degraded ? causeOf(degraded, language) : why}
        />
      )}
      {degraded === "" && !status.embedder_healthy && <Alert type="warning" showIcon title={t.unhealthy} />}
      {status.rebuild_due && !status.rebuild && <Alert type="info" showIcon title={t.due(status.configured_model)} />}
    </>
  );
}

function Figures({ status }: { status: Status }) {
  const t = useStrings(indexStrings);
  const f = useFormats();
  return (
    <section className="card">
      <dl className="facts">
        <dt>{t.model}</dt>
        <dd>
          {status.embedding_model} <Tag>{t.dimensions(status.embedding_dimension)}</Tag>
          {status.embedder_healthy && <Tag color="success">{t.healthy}</Tag>}
        </dd>
        <dt>{t.documents}</dt>
        <dd>{f.number(status.documents)}</dd>
        <dt>{t.parents}</dt>
        <dd>{f.number(status.parents)}</dd>
        <dt>{t.children}</dt>
        <dd>{f.number(status.children)}</dd>
      </dl>
    </section>
  );
}

/** A run that is under way. */
function Run({ run, modelInUse }: { run: NonNullable<Status["rebuild"]>; modelInUse: string }) {
  const t = useStrings(indexStrings);
  const shared = useStrings(sharedStrings);
  const language = useLanguage();
  const f = useFormats();
  const { modal, message } = App.useApp();
  const failed = useFailureToast();
  const rebuild = useRebuild();
  const { documents_done: done, documents_total: total } = run;
  const words = t.progress(f.number(done), f.number(total));
  return (
    <section className="card" aria-label={t.running(run.embedding_model)}>
      <h2>{t.running(run.embedding_model)}</h2>
      <Progress
        percent={total > 0 ? Math.floor((done / total) * 100) : 0}
        status={run.waiting_reason ? "exception" : "active"}
        aria-label={words}
      />
      <p className="is-soft" role="status">
        {words}
        {run.started_at && ` · ${t.since(f.time(run.started_at))}`}
      </p>
      {run.waiting_reason && (
        <Alert
          type="warning"
          showIcon
          title={t.waiting(causeOf(run.waiting_reason, language))}
          description={run.retry_at && t.retryAt(f.exactTime(run.retry_at))}
        />
      )}
      <Button
        loading={rebuild.isPending}
        onClick={() =>
          modal.confirm({
            title: t.stopTitle,
            content: t.stopText,
            okText: t.keep,
            cancelText: shared.cancel,
            autoFocusButton: "cancel",
            onOk: () => rebuild.mutateAsync(modelInUse).then(() => void message.success(t.stopped), failed),
          })
        }
      >
        {t.keep}
      </Button>
    </section>
  );
}

function Rebuilding({ status }: { status: Status }) {
  const t = useStrings(indexStrings);
  const shared = useStrings(sharedStrings);
  const { modal, message } = App.useApp();
  const failed = useFailureToast();
  const rebuild = useRebuild();
  const others = status.embedding_models.filter((model) => model !== status.embedding_model);
  const [chosen, setChosen] = useState<string | null>(null);
  const usual = status.rebuild_due ? status.configured_model : (others[0] ?? null);
  // What was chosen before may be in use by now.
  const target = chosen !== null && others.includes(chosen) ? chosen : usual;

  function ask(model: string) {
    modal.confirm({
      title: t.confirmTitle(model),
      content: t.confirmText,
      okText: t.start,
      cancelText: shared.cancel,
      autoFocusButton: "cancel",
      onOk: () =>
        rebuild.mutateAsync(model).then(({ done }) => void message.success(done ? t.already : t.started), failed),
    });
  }

  return (
    <section className="card">
      <h2>{t.rebuild}</h2>
      {target === null ? (
        <p className="is-soft">{t.onlyModel}</p>
      ) : (
        <div className="index-rebuild">
          <Form.Item label={t.target} htmlFor="rebuild-model" layout="vertical">
            <Select
              id="rebuild-model"
              value={target}
              onChange={setChosen}
              options={others.map((model) => ({ value: model, label: model }))}
            />
          </Form.Item>
          <Button type="primary" loading={rebuild.isPending} onClick={() => ask(target)}>
            {t.start}
          </Button>
        </div>
      )}
    </section>
  );
}
