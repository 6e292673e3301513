/** Hashes blobs piece by piece, so that memory stays flat whatever their size. Several at once take turns. */
import { createSHA256 } from "hash-wasm";

export type ToWorker = { id: number; blob: Blob } | { id: number; cancel: true };
/** `read`: bytes so far; `digest`: SHA-256 in hexadecimal, the end; `fault`: the name of an error, the end. */
export type FromWorker = { id: number; read: number } | { id: number; digest: string } | { id: number; fault: string };

const PIECE_BYTES = 4 * 1024 * 1024;
const cancelled = new Set<number>();

addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  if ("cancel" in data) cancelled.add(data.id);
  else
    hash(data.id, data.blob).catch((error) => tell({ id: data.id, fault: error instanceof Error ? error.name : "" }));
});

async function hash(id: number, blob: Blob): Promise<void> {
  const hasher = await createSHA256();
  for (let start = 0; start < blob.size; start += PIECE_BYTES) {
    if (cancelled.delete(id)) return;
    const piece = await blob.slice(start, start + PIECE_BYTES).arrayBuffer();
    hasher.update(new Uint8Array(piece));
    tell({ id, read: start + piece.byteLength });
  }
  tell({ id, digest: hasher.digest("hex") });
}

function tell(message: FromWorker): void {
  postMessage(message);
}
