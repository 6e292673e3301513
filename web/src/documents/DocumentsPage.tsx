import { FileTextOutlined, SearchOutlined, UploadOutlined } from "@ant-design/icons";
import { App, Button } from "antd";
import { useCallback, useEffect, useState } from "react";
import { useSearchParams } from "react-router";
import { Loading } from "@/app/Loading";
import { Empty } from "@/shared/Empty";
import { useStrings } from "@/shared/language";
import { Page } from "@/shared/Page";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { sharedStrings } from "@/shared/strings";
import { DocumentFilters } from "./DocumentFilters";
import { DocumentList } from "./DocumentList";
import { areSet, filtersOf, parametersOf } from "./filters";
import { useDocuments, useFollowed, useListAgain } from "./queries";
import { documentStrings } from "./strings";
import { DropZone } from "./upload/DropZone";
import { UploadDialog } from "./upload/UploadDialog";
import { UploadTray } from "./upload/UploadTray";
import { uploads, useUploads } from "./upload/uploads";
import { useFilePicker } from "./upload/use-file-picker";
import { useDelete } from "./use-delete";
import "./documents.css";

export default function DocumentsPage() {
  const t = useStrings(documentStrings);
  const shared = useStrings(sharedStrings);
  const { message } = App.useApp();
  const [parameters, setParameters] = useSearchParams();
  const filters = filtersOf(parameters);
  const listed = useDocuments(filters);
  const documents = listed.data?.pages.flatMap((page) => page.documents) ?? [];
  const followed = useFollowed(documents);
  const instant = useArrivals();
  const remove = useDelete();

  const [chosen, setChosen] = useState<readonly File[]>([]);
  const choose = useCallback((files: readonly File[]) => setChosen((before) => [...before, ...files]), []);
  const onFolders = useCallback(() => void message.warning(t.foldersSkipped), [message, t]);
  const { pick, input } = useFilePicker(choose);
  const button = (
    <Button type="primary" icon={<UploadOutlined aria-hidden />} onClick={pick}>
      {t.upload}
    </Button>
  );
  const isUploading = useUploads().length > 0;
  const isEmpty = listed.isSuccess && documents.length === 0;
  const isFirst = isEmpty && !areSet(filters) && !isUploading;

  return (
    <Page title={t.title} intro={t.intro} actions={!isFirst && button}>
      {input}
      <DropZone onFiles={choose} onFolders={onFolders} />
      <UploadDialog
        files={chosen}
        onFiles={setChosen}
        onUpload={(files, details) => {
          uploads.add(files, details);
          setChosen([]);
        }}
      />
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
            {button}
          </Empty>
        </div>
      )}
      {isEmpty && areSet(filters) && (
        <Empty icon={<SearchOutlined aria-hidden />} title={t.nothingFound} text={t.nothingFoundText}>
          <Button onClick={() => setParameters({}, { replace: true })}>{t.clearFilters}</Button>
        </Empty>
      )}
      {documents.length > 0 && <DocumentList documents={documents} instant={instant} onDelete={remove} />}
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

/** Says which uploads became documents, reads the list again, and gives the ids of those that took no time. */
function useArrivals(): ReadonlySet<string> {
  const t = useStrings(documentStrings);
  const { message } = App.useApp();
  const items = useUploads();
  const listAgain = useListAgain();
  const [instant, setInstant] = useState<ReadonlySet<string>>(new Set());

  useEffect(() => {
    for (const { id, name, uploaded } of items) {
      if (!uploaded) continue;
      uploads.dismiss(id);
      if (uploaded.instant) setInstant((before) => new Set(before).add(uploaded.documentId));
      // One after the other in one place: a hundred files are no hundred toasts.
      void message.success({
        key: "uploaded",
        content: uploaded.instant ? t.instantToast(name) : t.uploadedToast(name),
      });
      listAgain();
    }
  }, [items, listAgain, message, t]);
  return instant;
}
