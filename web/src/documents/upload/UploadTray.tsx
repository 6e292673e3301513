import { CloseOutlined, ReloadOutlined, ThunderboltOutlined } from "@ant-design/icons";
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
import "./upload.css";

const SHOWN = 20;

/** What is being uploaded from this tab, and what a reload interrupted. */
export function UploadTray() {
  const t = useStrings(documentStrings);
  const items = useUploads().filter((item) => !item.uploaded || item.uploaded.instant);
  // Each step of an upload draws the list anew: what only waits is counted.
  const shown = [...items].sort((a, b) => rank(a) - rank(b)).slice(0, SHOWN);
  const [, setForgotten] = useState(0);
  const broken = interrupted(keptUploads.all(), items);
  const hidden = items.length - shown.length;
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
      {hidden > 0 && <p className="is-soft">{t.more(hidden)}</p>}
    </section>
  );
}

function isWaiting(item: UploadItem): boolean {
  return !item.problem && !item.uploaded && item.progress.phase === "waiting";
}

/** What needs eyes first: what runs or failed, what is done, what waits. */
function rank(item: UploadItem): number {
  if (item.uploaded) return 1;
  return isWaiting(item) ? 2 : 0;
}

function Item({ item }: { item: UploadItem }) {
  const t = useStrings(documentStrings);
  const language = useLanguage();
  const formats = useFormats();
  const { problem, progress, uploaded } = item;
  const percent = uploaded ? 100 : percentOf(progress);
  return (
    <li>
      <div className="upload-line">
        <span className="file-name" title={item.name}>
          {item.name}
        </span>
        {uploaded && (
          <span className="is-success upload-figures" role="status">
            <ThunderboltOutlined aria-hidden /> {t.takenOver}
          </span>
        )}
        {problem && (
          <Button
            type="text"
            size="small"
            icon={<ReloadOutlined aria-hidden />}
            aria-label={t.retryUpload(item.name)}
            onClick={() => uploads.retry(item.id)}
          />
        )}
        {!problem && !uploaded && (
          <span className="is-soft upload-figures">
            {t.phases(progress.phase)}
            {progress.phase === "sending" && ` · ${t.ofTotal(formats.size(progress.done), formats.size(item.size))}`}
          </span>
        )}
        <Button
          type="text"
          size="small"
          icon={<CloseOutlined aria-hidden />}
          aria-label={problem || uploaded ? t.dismissUpload(item.name) : t.cancelUpload(item.name)}
          onClick={() => uploads.giveUp(item.id)}
        />
      </div>
      <Progress
        percent={percent}
        size="small"
        status={problem ? "exception" : uploaded ? "success" : "active"}
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
