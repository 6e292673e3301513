import { CloseOutlined, ReloadOutlined } from "@ant-design/icons";
import { Alert, App, Button, Progress } from "antd";
import { useState } from "react";
import { useLanguage, useStrings } from "@/shared/language";
import { wordsFor } from "@/shared/problem-words";
import { useFormats } from "@/shared/time";
import { documentStrings } from "../strings";
import type { KeptUpload } from "./kept";
import { percentOf } from "./plan";
import { interrupted, keptUploads, type UploadItem, uploads, useUploads } from "./uploads";
import { useFilePicker } from "./use-file-picker";

/** What is being uploaded from this tab, and what a reload interrupted. */
export function UploadTray() {
  const t = useStrings(documentStrings);
  const items = useUploads().filter((item) => !item.uploaded);
  const [, setForgotten] = useState(0);
  const broken = interrupted(keptUploads.all(), items);
  return (
    <>
      {broken.map((kept) => (
        <Interrupted key={kept.key} kept={kept} onForget={() => setForgotten((count) => count + 1)} />
      ))}
      {items.length > 0 && (
        <section className="upload-tray" aria-label={t.uploads}>
          <h2>{t.uploads}</h2>
          <ul>
            {items.map((item) => (
              <Item key={item.id} item={item} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Item({ item }: { item: UploadItem }) {
  const t = useStrings(documentStrings);
  const language = useLanguage();
  const formats = useFormats();
  const { problem, progress } = item;
  const percent = percentOf(progress);
  return (
    <li>
      <div className="upload-line">
        <span className="file-name" title={item.name}>
          {item.name}
        </span>
        {problem ? (
          <Button
            type="text"
            size="small"
            icon={<ReloadOutlined />}
            aria-label={t.retryUpload(item.name)}
            onClick={() => uploads.retry(item.id)}
          />
        ) : (
          <span className="is-soft upload-figures">
            {t.phases(progress.phase)}
            {progress.phase === "sending" && ` · ${t.ofTotal(formats.size(progress.done), formats.size(item.size))}`}
          </span>
        )}
        <Button
          type="text"
          size="small"
          icon={<CloseOutlined />}
          aria-label={problem ? t.dismissUpload(item.name) : t.cancelUpload(item.name)}
          onClick={() => uploads.cancel(item.id)}
        />
      </div>
      <Progress
        percent={percent}
        size="small"
        status={problem ? "exception" : "active"}
        aria-label={t.uploadOf(item.name)}
        format={() => t.percent(percent)}
      />
      {problem && (
        <p className="upload-problem is-danger" role="alert">
          {problem.reason === "file_unreadable" ? t.fileUnreadable : wordsFor(problem, language)}
        </p>
      )}
    </li>
  );
}

function Interrupted({ kept, onForget }: { kept: KeptUpload; onForget: () => void }) {
  const t = useStrings(documentStrings);
  const { message } = App.useApp();
  const { pick, input } = useFilePicker(([file]) => {
    if (file?.name === kept.name && file.size === kept.size) uploads.add([file], kept.details);
    else message.warning(t.anotherFile);
  }, false);
  return (
    <Alert
      className="interrupted"
      type="warning"
      showIcon
      role="status"
      title={t.interrupted(kept.name)}
      description={t.interruptedText}
      action={
        <div className="interrupted-actions">
          {input}
          <Button size="small" type="primary" onClick={pick}>
            {t.chooseAgain}
          </Button>
          <Button
            size="small"
            type="text"
            onClick={() => {
              keptUploads.forget(kept.key);
              onForget();
            }}
          >
            {t.forget}
          </Button>
        </div>
      }
    />
  );
}
