import { CloseOutlined, ReloadOutlined } from "@ant-design/icons";
import { App, Button, Progress } from "antd";
import { useState } from "react";
import { useLanguage, useStrings } from "@/shared/language";
import { wordsFor } from "@/shared/problem-words";
import { useFormats } from "@/shared/time";
import { documentStrings } from "../strings";
import type { KeptUpload } from "./kept";
import { percentOf } from "./plan";
import { interrupted, keptUploads, type UploadItem, uploads, useUploads } from "./uploads";
import { useFilePicker } from "./use-file-picker";

const SHOWN = 20;

/** What is being uploaded from this tab, and what a reload interrupted. */
export function UploadTray() {
  const t = useStrings(documentStrings);
  const items = useUploads().filter((item) => !item.uploaded);
  // Each step of an upload draws the list anew: what only waits is counted.
  const shown = [...items].sort((a, b) => Number(isWaiting(a)) - Number(isWaiting(b))).slice(0, SHOWN);
  const [, setForgotten] = useState(0);
  const broken = interrupted(keptUploads.all(), items);
  if (items.length + broken.length === 0) return null;
  return (
    <section className="upload-tray" aria-label={t.uploads}>
      <h2>{t.uploads}</h2>
      <ul>
        {broken.map((kept) => (
          <Interrupted key={kept.key} kept={kept} onForget={() => setForgotten((count) => count + 1)} />
        ))}
        {shown.map((item) => (
          <Item key={item.id} item={item} />
        ))}
      </ul>
      {items.length > shown.length && <p className="is-soft">{t.moreWait(items.length - shown.length)}</p>}
    </section>
  );
}

function isWaiting(item: UploadItem): boolean {
  return !item.problem && item.progress.phase === "waiting";
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
            icon={<ReloadOutlined aria-hidden />}
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
          icon={<CloseOutlined aria-hidden />}
          aria-label={problem ? t.dismissUpload(item.name) : t.cancelUpload(item.name)}
          onClick={() => uploads.giveUp(item.id)}
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
    <li>
      {input}
      <div className="upload-line">
        <span className="file-name" title={kept.name}>
          {kept.name}
        </span>
        <Button size="small" aria-label={t.goOnWith(kept.name)} onClick={pick}>
          {t.goOn}
        </Button>
        <Button
          type="text"
          size="small"
          icon={<CloseOutlined aria-hidden />}
          aria-label={t.giveUp(kept.name)}
          onClick={() => {
            keptUploads.forget(kept.key);
            onForget();
          }}
        />
      </div>
      <p className="upload-problem is-warning">{t.interrupted}</p>
    </li>
  );
}
