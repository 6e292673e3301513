/** SHA-256 in a worker of its own. */
import { ApiProblem } from "@/api/problem";
import type { FromWorker, ToWorker } from "./hash.worker";

interface Job {
  onRead: (bytes: number) => void;
  resolve: (digest: string) => void;
  reject: (error: unknown) => void;
}

/** What browsers raise for a file that was moved, changed or locked since it was chosen. */
const FILE_FAULTS = new Set(["NotReadableError", "NotFoundError", "SecurityError"]);

const jobs = new Map<number, Job>();
let worker: Worker | null = null;
let lastId = 0;

/** Hexadecimal SHA-256 of a blob. Raises ApiProblem (`file_unreadable`), and AbortError when it is cancelled. */
export function sha256(blob: Blob, onRead: (bytes: number) => void, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const id = ++lastId;
  return new Promise<string>((resolve, reject) => {
    const onAbort = () => {
      post({ id, cancel: true });
      reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    jobs.set(id, { onRead, resolve, reject });
    post({ id, blob });
  }).finally(() => jobs.delete(id));
}

function post(message: ToWorker): void {
  worker ??= started();
  worker.postMessage(message);
}

function started(): Worker {
  const fresh = new Worker(new URL("./hash.worker.ts", import.meta.url), { type: "module" });
  fresh.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => {
    const job = jobs.get(data.id);
    if (!job) return;
    if ("read" in data) job.onRead(data.read);
    else if ("digest" in data) job.resolve(data.digest);
    else job.reject(new ApiProblem(0, FILE_FAULTS.has(data.fault) ? "file_unreadable" : "page_fault", data.fault));
  });
  fresh.addEventListener("error", (event) => {
    worker = null;
    for (const job of jobs.values()) job.reject(new ApiProblem(0, "page_fault", event.message ?? "worker"));
  });
  return fresh;
}
