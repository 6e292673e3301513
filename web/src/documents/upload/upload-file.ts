/** One file's way to the server: hash, begin or resume, prove possession or send what is missing, complete. */
import type { Schemas } from "@/api/client";
import { asProblem } from "@/api/problem";
import { type Details, said } from "../details";
import type { KeptUpload } from "./kept";
import { base64OfHex, challenged, isPassing, missingParts, type Part, type Progress, pauseAfter, TRIES } from "./plan";
import type { Slots } from "./slots";

type Upload = Schemas["UploadAnswer"];

/** What an upload needs of the world. Every call raises ApiProblem, and AbortError when it is cancelled. */
export interface Reach {
  sha256(blob: Blob, onRead: (bytes: number) => void, signal: AbortSignal): Promise<string>;
  create(body: Schemas["UploadBody"], key: string, signal: AbortSignal): Promise<Upload>;
  look(uploadId: string, signal: AbortSignal): Promise<Upload>;
  put(
    uploadId: string,
    number: number,
    bytes: Blob,
    digest: string,
    onSent: (bytes: number) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** Answers an upload's challenge with a digest in hexadecimal. */
  prove(uploadId: string, digest: string, signal: AbortSignal): Promise<Upload>;
  /** Gives the document's id. */
  complete(uploadId: string, signal: AbortSignal): Promise<string>;
  pause(milliseconds: number, signal: AbortSignal): Promise<void>;
  newKey(): string;
  now(): number;
}

export interface Kept {
  find(name: string, size: number, sha256: string, details: Details): KeptUpload | undefined;
  keep(upload: KeptUpload): void;
  forget(key: string): void;
}

export interface Uploaded {
  documentId: string;
  /** The content was there already: nothing travelled. */
  instant: boolean;
}

/** Parts can be lost on the server's side; after so many rounds of sending what is missing it is given up. */
const ROUNDS = 3;

/** Uploads a file; a second call after a failure, or after a reload, sends only what is missing. */
export async function uploadFile(
  file: File,
  details: Details,
  reach: Reach,
  kept: Kept,
  slots: Slots,
  report: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Uploaded> {
  report({ phase: "hashing", done: 0, total: file.size });
  const sha256 = await reach.sha256(file, (done) => report({ phase: "hashing", done, total: file.size }), signal);
  const begun = await begunOrResumed(file, sha256, details, reach, kept, signal);
  const { key } = begun;
  const upload = await proven(file, begun.upload, reach, report, signal);

  let current = upload;
  for (let round = 1; ; round += 1) {
    if (!current.instant) await sendMissing(file, current, reach, slots, report, signal);
    report({ phase: "completing", done: file.size, total: file.size });
    try {
      const documentId =
        current.document_id ?? (await persistently(reach, signal, () => reach.complete(current.upload_id, signal)));
      kept.forget(key);
      return { documentId, instant: upload.instant };
    } catch (error) {
      if (asProblem(error).reason !== "parts_missing" || round === ROUNDS) throw error;
      current = await persistently(reach, signal, () => reach.look(current.upload_id, signal));
    }
  }
}

async function begunOrResumed(
  file: File,
  sha256: string,
  details: Details,
  reach: Reach,
  kept: Kept,
  signal: AbortSignal,
): Promise<{ key: string; upload: Upload }> {
  const before = kept.find(file.name, file.size, sha256, details);
  if (before?.uploadId) {
    try {
      return { key: before.key, upload: await persistently(reach, signal, () => reach.look(before.uploadId, signal)) };
    } catch (error) {
      if (asProblem(error).status !== 404) throw error;
      kept.forget(before.key);
    }
  }
  const key = before && !before.uploadId ? before.key : reach.newKey();
  const record = { key, uploadId: "", name: file.name, size: file.size, sha256, details, begunAt: reach.now() };
  kept.keep(record);
  try {
    const body = { file_name: file.name, size: file.size, sha256, ...said(details) };
    const upload = await persistently(reach, signal, () => reach.create(body, key, signal));
    kept.keep({ ...record, uploadId: upload.upload_id });
    return { key, upload };
  } catch (error) {
    const { status } = asProblem(error);
    if (status >= 400 && status < 500) kept.forget(key);
    throw error;
  }
}

/** The upload after its challenge was answered; when the answer is refused, the parts travel as if nothing had been asked. */
async function proven(
  file: File,
  upload: Upload,
  reach: Reach,
  report: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Upload> {
  const { challenge, upload_id: uploadId } = upload;
  if (!challenge || upload.document_id) return upload;
  report({ phase: "proving", done: 0, total: file.size });
  const digest = await reach.sha256(challenged(file, challenge), () => undefined, signal);
  try {
    return await persistently(reach, signal, () => reach.prove(uploadId, digest, signal));
  } catch (error) {
    signal.throwIfAborted();
    const { status } = asProblem(error);
    if (status < 400 || status === 401) throw error;
    // An answer that was lost on its way back may have been right after all.
    return persistently(reach, signal, () => reach.look(uploadId, signal));
  }
}

/** Sends the missing parts, as many at once as there are slots; the first that fails for good stops the others. */
async function sendMissing(
  file: File,
  upload: Upload,
  reach: Reach,
  slots: Slots,
  report: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<void> {
  const missing = missingParts(file.size, upload.part_size, upload.parts_received);
  let arrived = file.size - missing.reduce((bytes, part) => bytes + part.end - part.start, 0);
  const travelling = new Map<number, number>();
  const tell = () => {
    const onTheWay = [...travelling.values()].reduce((bytes, sent) => bytes + sent, 0);
    report({ phase: "sending", done: arrived + onTheWay, total: file.size });
  };
  tell();
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);

  async function sendPart(part: Part): Promise<void> {
    const bytes = file.slice(part.start, part.end);
    const digest = base64OfHex(await reach.sha256(bytes, () => undefined, either));
    const onSent = (sent: number) => {
      // A body's progress counts a little more than the part where the browser counts its headers.
      travelling.set(part.number, Math.min(sent, bytes.size));
      tell();
    };
    await persistently(reach, either, () => reach.put(upload.upload_id, part.number, bytes, digest, onSent, either));
    travelling.delete(part.number);
    arrived += bytes.size;
    tell();
  }

  try {
    await Promise.all(missing.map((part) => slots.use(() => sendPart(part), either)));
  } catch (error) {
    failed.abort(error);
    throw error;
  }
}

async function persistently<T>(reach: Reach, signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      const problem = asProblem(error);
      if (!isPassing(problem) || failures === TRIES) throw problem;
      await reach.pause(pauseAfter(failures, problem.retryAfterSeconds, Math.random()), signal);
    }
  }
}
