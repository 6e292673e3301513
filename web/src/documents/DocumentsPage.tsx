import { FileTextOutlined, LinkOutlined, SearchOutlined, UploadOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { lazy, Suspense, useEffect, useState } from "react";
import { useSearchParams } from "react-router";
import { Loading } from "@/app/Loading";
import { Empty } from "@/shared/Empty";
import { useStrings } from "@/shared/language";
import { Page } from "@/shared/Page";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { sharedStrings } from "@/shared/strings";
import { DocumentFilters } from "./DocumentFilters";
import { DocumentList } from "./DocumentList";
import { areSet, belongsTo, filtersOf, parametersOf } from "./filters";
import { importStrings } from "./importing/strings";
import { useDocuments, useFollowed } from "./queries";
import { documentStrings } from "./strings";
import { chosenFiles, useChosenFiles } from "./upload/chosen";
import { UploadDialog } from "./upload/UploadDialog";
import { UploadTray } from "./upload/UploadTray";
import { uploads, useUploads } from "./upload/uploads";
import { useArrivals } from "./upload/use-arrivals";
import { useFilePicker } from "./upload/use-file-picker";
import { useDelete } from "./use-delete";
import "./documents.css";
import "./list.css";

const ImportDialog = lazy(() => import("./importing/ImportDialog"));

export default function DocumentsPage() {
  const t = useStrings(documentStrings);
  const importing = useStrings(importStrings);
  const shared = useStrings(sharedStrings);
  const [parameters, setParameters] = useSearchParams();
  const filters = filtersOf(parameters);
  const listed = useDocuments(filters);
  const all = listed.data?.pages.flatMap((page) => page.documents) ?? [];
  const followed = useFollowed(all);
  const documents = all.filter((document) => belongsTo(filters.group, document));
  useArrivals();
  const remove = useDelete();

  const chosen = useChosenFiles();
  useEffect(() => () => chosenFiles.set([]), []);
  const { pick, input } = useFilePicker((files) => chosenFiles.add(files));
  const [isImporting, setImporting] = useState(false);
  const buttons = (
    <>
      <Button icon={<LinkOutlined aria-hidden />} onClick={() => setImporting(true)}>
        {importing.button}
      </Button>
      <Button type="primary" icon={<UploadOutlined aria-hidden />} onClick={pick}>
        {t.upload}
      </Button>
    </>
  );
  const isUploading = useUploads().length > 0;
  const isEmpty = listed.isSuccess && documents.length === 0;
  const isFirst = isEmpty && !areSet(filters) && !isUploading;

  return (
    <Page title={t.title} intro={t.intro} actions={!isFirst && buttons}>
      {input}
      <UploadDialog
        files={chosen}
        onFiles={(files) => chosenFiles.set(files)}
        onUpload={(files, details) => {
          uploads.add(files, details);
          chosenFiles.set([]);
        }}
      />
      {isImporting && (
        <Suspense fallback={null}>
          <ImportDialog onClose={() => setImporting(false)} />
        </Suspense>
      )}
      <UploadTray />
      {(documents.length > 0 || areSet(filters)) && (
        <DocumentFilters filters={filters} onChange={(next) => setParameters(parametersOf(next), { replace: true })} />
      )}
      {listed.isError && <ProblemNotice error={listed.error} onRetry={() => void listed.refetch()} />}
      {followed.isError && !listed.isError && (
        <ProblemNotice error={followed.error} onRetry={() => void followed.refetch()} />
      )}
      {listed.isPending && <Loading />}
      {isFirst && (
        <div className="first-document">
          <Empty
            icon={<FileTextOutlined aria-hidden />}
            title={t.emptyTitle}
            text={
              <>
                {t.emptyText}
                <br />
                <span className="formats">{t.formats}</span>
              </>
            }
          >
            <div className="first-actions">{buttons}</div>
          </Empty>
        </div>
      )}
      {isEmpty && areSet(filters) && !listed.hasNextPage && (
        <Empty icon={<SearchOutlined aria-hidden />} title={t.nothingFound} text={t.nothingFoundText}>
          <Button onClick={() => setParameters({}, { replace: true })}>{t.clearFilters}</Button>
        </Empty>
      )}
      {documents.length > 0 && <DocumentList documents={documents} onDelete={remove} />}
      {listed.hasNextPage && (
        <div className="load-more">
          <Button loading={listed.isFetchingNextPage} onClick={() => void listed.fetchNextPage()}>
            {shared.loadMore}
          </Button>
        </div>
      )}
    </Page>
  );
}
