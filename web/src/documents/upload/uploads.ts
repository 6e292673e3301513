/** The uploads of this tab: they go on while the person looks at other pages. */
import { useSyncExternalStore } from "react";
import { answerOf, api } from "@/api/client";
import { newId } from "@/api/new-id";
import { type ApiProblem, asProblem } from "@/api/problem";
import { sessions } from "@/api/session";
import type { Details } from "../details";
import { sha256 } from "./hashing";
import { type KeptUpload, KeptUploads } from "./kept";
import { putBytes } from "./part-request";
import type { Progress } from "./plan";
import { Slots } from "./slots";
import { type Kept, type Reach, type Uploaded, uploadFile } from "./upload-file";

export interface UploadItem {
  id: string;
  name: string;
  size: number;
  /** What is being done; the last step that was reached when it failed. */
  progress: Progress;
  problem: ApiProblem | null;
  /** Once it is a document. */
  uploaded: Uploaded | null;
}

const FILES_AT_ONCE = 3;
const PARTS_AT_ONCE = 3;

interface Entry {
  file: File;
  details: Details;
  stop: AbortController;
  /** Under which it is kept over a reload, once it is. */
  keptKey: string;
}

export class Uploads {
  private items: readonly UploadItem[] = [];
  private readonly entries = new Map<string, Entry>();
  private readonly listeners = new Set<() => void>();
  private readonly fileSlots = new Slots(FILES_AT_ONCE);
  private readonly partSlots = new Slots(PARTS_AT_ONCE);

  constructor(
    private readonly reach: Reach,
    private readonly kept: Kept,
  ) {}

  snapshot = (): readonly UploadItem[] => this.items;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Whether leaving the page would break something off. */
  busy(): boolean {
    return this.items.some((item) => !item.uploaded && !item.problem);
  }

  add(files: readonly File[], details: Details): void {
    const added = files.map((file) => {
      const id = this.reach.newKey();
      this.entries.set(id, { file, details, stop: new AbortController(), keptKey: "" });
      return waiting(id, file);
    });
    this.show([...this.items, ...added]);
    for (const { id } of added) void this.run(id);
  }

  /** Tries a failed upload again; what arrived stays. */
  retry(id: string): void {
    const entry = this.entries.get(id);
    if (!entry) return;
    entry.stop = new AbortController();
    this.change(id, waiting(id, entry.file));
    void this.run(id);
  }

  /** Stops an upload and forgets it. */
  giveUp(id: string): void {
    const entry = this.entries.get(id);
    entry?.stop.abort();
    if (entry?.keptKey) this.kept.forget(entry.keptKey);
    this.dismiss(id);
  }

  /** Takes an upload that is over off the list. */
  dismiss(id: string): void {
    this.entries.delete(id);
    this.show(this.items.filter((item) => item.id !== id));
  }

  /** Takes all that became documents off the list. */
  dismissArrived(): void {
    for (const { id, uploaded } of this.items) if (uploaded) this.dismiss(id);
  }

  /** Stops everything, as when the session ends; all of it can be resumed. */
  stop(): void {
    for (const { stop } of this.entries.values()) stop.abort();
    this.entries.clear();
    this.show([]);
  }

  private async run(id: string): Promise<void> {
    const entry = this.entries.get(id);
    if (!entry) return;
    const { file, details, stop } = entry;
    const kept: Kept = {
      find: (...wanted) => {
        const found = this.kept.find(...wanted);
        entry.keptKey = found?.key ?? entry.keptKey;
        return found;
      },
      forget: (key) => this.kept.forget(key),
      keep: (upload) => {
        if (stop.signal.aborted) return;
        entry.keptKey = upload.key;
        this.kept.keep(upload);
      },
    };
    try {
      const uploaded = await this.fileSlots.use(
        () =>
          uploadFile(
            file,
            details,
            this.reach,
            kept,
            this.partSlots,
            (progress) => this.change(id, { progress }),
            stop.signal,
          ),
        stop.signal,
      );
      this.change(id, { uploaded });
    } catch (error) {
      if (!stop.signal.aborted) this.change(id, { problem: asProblem(error) });
    }
  }

  private change(id: string, change: Partial<UploadItem>): void {
    this.show(this.items.map((item) => (item.id === id ? { ...item, ...change } : item)));
  }

  private show(items: readonly UploadItem[]): void {
    this.items = items;
    for (const listener of this.listeners) listener();
  }
}

function waiting(id: string, file: File): UploadItem {
  const progress: Progress = { phase: "waiting", done: 0, total: file.size };
  return { id, name: file.name, size: file.size, progress, problem: null, uploaded: null };
}

/** Kept uploads that nothing in this tab is working on. */
export function interrupted(kept: readonly KeptUpload[], items: readonly UploadItem[]): KeptUpload[] {
  return kept.filter(({ name, size }) => !items.some((item) => item.name === name && item.size === size));
}

const reach: Reach = {
  sha256,
  create: (body, key, signal) =>
    answerOf(api.POST("/api/v1/uploads", { body, signal, params: { header: { "idempotency-key": key } } })),
  look: (uploadId, signal) =>
    answerOf(api.GET("/api/v1/uploads/{upload_id}", { signal, params: { path: { upload_id: uploadId } } })),
  put: (uploadId, number, bytes, digest, onSent, signal) =>
    putBytes(`/api/v1/uploads/${encodeURIComponent(uploadId)}/parts/${number}`, bytes, digest, onSent, signal),
  prove: (uploadId, digest, signal) => {
    const path = { upload_id: uploadId };
    return answerOf(api.POST("/api/v1/uploads/{upload_id}/proof", { signal, params: { path }, body: { digest } }));
  },
  complete: async (uploadId, signal) => {
    const path = { upload_id: uploadId };
    const completed = await answerOf(api.POST("/api/v1/uploads/{upload_id}/complete", { signal, params: { path } }));
    return completed.document_id;
  },
  pause: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const stopped = () => over(() => reject(signal.reason));
      const back = () => over(resolve);
      const timer = setTimeout(back, milliseconds);
      function over(then: () => void): void {
        clearTimeout(timer);
        signal.removeEventListener("abort", stopped);
        window.removeEventListener("online", back);
        then();
      }
      signal.addEventListener("abort", stopped);
      window.addEventListener("online", back);
    }),
  newKey: newId,
  now: Date.now,
};

export const keptUploads = new KeptUploads(localStorage, () => sessions.current()?.user.id ?? "");
export const uploads = new Uploads(reach, keptUploads);

let person = sessions.current()?.user.id;
sessions.subscribe(() => {
  const next = sessions.current()?.user.id;
  if (next !== person) uploads.stop();
  person = next;
});

window.addEventListener("beforeunload", (event) => {
  if (uploads.busy()) event.preventDefault();
});

export function useUploads(): readonly UploadItem[] {
  return useSyncExternalStore(uploads.subscribe, uploads.snapshot);
}
