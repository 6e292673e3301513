import { BookOutlined, DeleteOutlined, EditOutlined, PlusOutlined } from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { App, Button, Skeleton } from "antd";
import { useState } from "react";
import { answerOf, api } from "@/api/client";
import { appStrings } from "@/app/strings";
import { Empty } from "@/shared/Empty";
import { useStrings } from "@/shared/language";
import { Page } from "@/shared/Page";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { sharedStrings } from "@/shared/strings";
import { useFormats } from "@/shared/time";
import "./admin.css";
import { useFailureToast } from "@/shared/use-failure-toast";
import { type Described, DomainDialog } from "./DomainDialog";
import { type DescribedDomain, DOMAINS, type ListedDomain, useDomains } from "./domains";
import { useOrgTags } from "./org-tags";
import { pathOf } from "./org-tree";
import { adminStrings } from "./strings";

export default function DomainsPage() {
  const app = useStrings(appStrings);
  const t = useStrings(adminStrings);
  const domains = useDomains();
  // undefined: no dialog.
  const [edited, setEdited] = useState<Described | undefined>(undefined);
  const { described, undescribed } = domains.data ?? { described: [], undescribed: [] };
  const isEmpty = !described.length && !undescribed.length;

  function content() {
    if (domains.isPending) return <Skeleton active paragraph={{ rows: 5 }} />;
    if (domains.isError && !domains.data) return <ProblemNotice error={domains.error} onRetry={domains.refetch} />;
    if (isEmpty) {
      return (
        <Empty icon={<BookOutlined aria-hidden />} title={t.noDomains} text={t.noDomainsText}>
          <Button type="primary" onClick={() => setEdited(null)}>
            {t.addFirstDomain}
          </Button>
        </Empty>
      );
    }
    return (
      <>
        <ul className="cards">
          {described.map((domain) => (
            <DomainCard key={domain.code} domain={domain} onEdit={() => setEdited({ domain })} />
          ))}
        </ul>
        {undescribed.length > 0 && <Undescribed domains={undescribed} onDescribe={(code) => setEdited({ code })} />}
      </>
    );
  }

  return (
    <Page
      title={app.domains}
      intro={t.domainsIntro}
      actions={
        domains.data &&
        !isEmpty && (
          <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setEdited(null)}>
            {t.addDomain}
          </Button>
        )
      }
    >
      {content()}
      {edited !== undefined && <DomainDialog described={edited} onClose={() => setEdited(undefined)} />}
    </Page>
  );
}

function DomainCard({ domain, onEdit }: { domain: DescribedDomain; onEdit: () => void }) {
  const t = useStrings(adminStrings);
  const shared = useStrings(sharedStrings);
  const { message, modal } = App.useApp();
  const queries = useQueryClient();
  const failed = useFailureToast();
  const f = useFormats();
  const tags = useOrgTags().data ?? [];

  function remove() {
    modal.confirm({
      title: t.deleteDomainTitle(domain.name),
      content: t.deleteDomainText,
      okText: shared.delete,
      cancelText: shared.cancel,
      okButtonProps: { danger: true },
      autoFocusButton: "cancel",
      onOk: async () => {
        try {
          await answerOf(api.DELETE("/api/v1/admin/domains/{code}", { params: { path: { code: domain.code } } }));
          message.success(t.domainDeleted(domain.name));
        } catch (error) {
          failed(error);
        }
        await queries.invalidateQueries({ queryKey: DOMAINS });
      },
    });
  }

  return (
    <li className="card">
      <div className="card-head">
        <h2 className="domain-name">
          {domain.name} <code className="code">{domain.code}</code>
        </h2>
        <span className="card-actions">
          <Button
            type="text"
            icon={<EditOutlined aria-hidden />}
            aria-label={t.editDomain(domain.name)}
            onClick={onEdit}
          />
          <Button
            type="text"
            danger
            icon={<DeleteOutlined aria-hidden />}
            aria-label={`${shared.delete}: ${domain.name}`}
            onClick={remove}
          />
        </span>
      </div>
      <p className={domain.description ? "domain-text" : "domain-text domain-text-missing"}>
        {domain.description || t.noDescription}
      </p>
      <dl className="facts facts-row">
        <div>
          <dt>{t.documents}</dt>
          <dd title={t.documentsHint}>{f.number(domain.documents)}</dd>
        </div>
        <div>
          <dt>{t.ownerTag}</dt>
          <dd>{domain.owner_org_tag === null ? t.everybody : pathOf(domain.owner_org_tag, tags).join(" / ")}</dd>
        </div>
      </dl>
    </li>
  );
}

function Undescribed({ domains, onDescribe }: { domains: ListedDomain[]; onDescribe: (code: string) => void }) {
  const t = useStrings(adminStrings);
  return (
    <section className="undescribed">
      <h2>{t.undescribed}</h2>
      <p className="soft">{t.undescribedText}</p>
      <ul className="cards">
        {domains.map((domain) => (
          <li key={domain.code} className="card card-dashed">
            <div className="card-head">
              <div>
                <code className="code">{domain.code}</code>{" "}
                <span className="soft">{t.documentsReadable(domain.document_count)}</span>
                {domain.sample_titles.length > 0 && (
                  <p className="domain-samples">{t.forExample(domain.sample_titles.join(t.listComma))}</p>
                )}
              </div>
              <Button onClick={() => onDescribe(domain.code)}>{t.describe}</Button>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
