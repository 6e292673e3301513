/** An upload's arithmetic: which parts there are, which are missing, how far it is, when to try again. */
import type { Schemas } from "@/api/client";
import type { ApiProblem } from "@/api/problem";

/** Bytes `start` to `end` (behind the last) of the file. */
export interface Part {
  number: number;
  start: number;
  end: number;
}

/** Tries of one request, the first included: with their pauses they outlast half a minute of a broken line. */
export const TRIES = 6;
const FIRST_PAUSE_MS = 1000;

export function partsOf(size: number, partSize: number): Part[] {
  return Array.from({ length: Math.ceil(size / partSize) }, (_, number) => ({
    number,
    start: number * partSize,
    end: Math.min(size, (number + 1) * partSize),
  }));
}

/** The parts that have still to travel, in order. */
export function missingParts(size: number, partSize: number, received: readonly number[]): Part[] {
  const there = new Set(received);
  return partsOf(size, partSize).filter((part) => !there.has(part.number));
}

/** Whether the same request may succeed later. */
export function isPassing(problem: ApiProblem): boolean {
  const { status, reason } = problem;
  if (reason === "page_fault") return false;
  // Bytes can be damaged on their way; sent again they may arrive whole.
  if (reason === "part_hash_mismatch") return true;
  return status === 0 || status === 408 || status === 429 || (status >= 500 && status !== 501);
}

/** Milliseconds until try number `failures + 1`; `random` is 0 to 1. The server's own wish goes first. */
export function pauseAfter(failures: number, retryAfterSeconds: number | null, random: number): number {
  if (retryAfterSeconds !== null) return retryAfterSeconds * 1000;
  return FIRST_PAUSE_MS * 2 ** (failures - 1) * (0.75 + random / 2);
}

export type Phase = "waiting" | "hashing" | "proving" | "sending" | "completing";

/** How far a phase is: bytes of `total`. */
export interface Progress {
  phase: Phase;
  done: number;
  total: number;
}

/** 0 to 100. Reading the file for its hash is the first fifth, for it takes much less than sending it. */
export function percentOf({ phase, done, total }: Progress): number {
  const share = total > 0 ? Math.min(1, done / total) : 1;
  if (phase === "waiting") return 0;
  if (phase === "hashing") return Math.floor(20 * share);
  if (phase === "proving") return 20;
  if (phase === "sending") return 20 + Math.floor(79 * share);
  return 99;
}

/** What a challenge asks to be hashed, as one blob: of the file only the asked ranges are ever read. */
export function challenged(file: Blob, { nonce, ranges }: Schemas["Challenge"]): Blob {
  return new Blob([bytesOfHex(nonce), ...ranges.map(({ start, end }) => file.slice(start, end))]);
}

/** The base64 form of hexadecimal digits. */
export function base64OfHex(hex: string): string {
  return btoa(String.fromCharCode(...bytesOfHex(hex)));
}

function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
}
