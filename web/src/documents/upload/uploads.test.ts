import { beforeEach, describe, expect, it, vi } from "vitest";
import { ApiProblem } from "@/api/problem";
import { type Details, NO_DETAILS } from "../details";
import { type KeptUpload, KeptUploads } from "./kept";
import type { Reach } from "./upload-file";
import { interrupted, Uploads } from "./uploads";

/** A busy machine may take its time. */
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 30_000 });
const file = (name: string) => new File(["content"], name);

/** A server that takes every file in one part; `refuse` is raised by the next part. */
class FakeServer implements Reach {
  refuse: ApiProblem | null = null;
  /** Parts wait for it. */
  gate: Promise<void> = Promise.resolve();
  private keys = 0;

  sha256 = async () => "ab".repeat(32);
  create = async (body: { file_name: string }) => this.answer(`upload-of-${body.file_name}`);
  look = async (uploadId: string) => this.answer(uploadId);
  put = async (...call: Parameters<Reach["put"]>) => {
    await this.gate;
    call[5].throwIfAborted();
    const problem = this.refuse;
    this.refuse = null;
    if (problem) throw problem;
  };
  prove = async (uploadId: string) => this.answer(uploadId);
  complete = async (uploadId: string) => uploadId.replace("upload", "document");
  pause = async () => undefined;
  newKey = () => `key-${++this.keys}`;
  now = () => Date.now();

  private answer(upload_id: string) {
    return { upload_id, part_size: 100, parts_total: 1, parts_received: [], instant: false };
  }
}

let server: FakeServer;
let kept: KeptUploads;
let uploads: Uploads;
const states = () =>
  uploads
    .snapshot()
    .map((item) => [item.name, item.problem?.reason ?? item.uploaded?.documentId ?? item.progress.phase]);

beforeEach(() => {
  localStorage.clear();
  server = new FakeServer();
  kept = new KeptUploads(localStorage, () => "person");
  uploads = new Uploads(server, kept);
});

describe("uploads", () => {
  it("become documents, each for itself", async () => {
    uploads.add([file("a"), file("b")], NO_DETAILS);
    expect(uploads.busy()).toBe(true);
    await eventually(() =>
      expect(states()).toEqual([
        ["a", "document-of-a"],
        ["b", "document-of-b"],
      ]),
    );
    expect(uploads.busy()).toBe(false);
  });

  it("that fail say so and are tried again when the person wants it", async () => {
    server.refuse = new ApiProblem(413, "too_large", "");
    uploads.add([file("a")], NO_DETAILS);
    await eventually(() => expect(states()).toEqual([["a", "too_large"]]));
    uploads.retry(uploads.snapshot()[0]?.id as string);
    await eventually(() => expect(states()).toEqual([["a", "document-of-a"]]));
  });

  it("run three at a time", async () => {
    let open = () => {};
    server.gate = new Promise((resolve) => {
      open = resolve;
    });
    uploads.add(["a", "b", "c", "d"].map(file), NO_DETAILS);
    await eventually(() =>
      expect(states().map(([, state]) => state)).toEqual(["sending", "sending", "sending", "waiting"]),
    );
    open();
    await eventually(() => expect(uploads.busy()).toBe(false));
  });

  it("that are given up are forgotten, those that a lost session stopped are not", async () => {
    let open = () => {};
    server.gate = new Promise((resolve) => {
      open = resolve;
    });
    uploads.add([file("a"), file("b")], NO_DETAILS);
    await eventually(() => expect(kept.all().map(({ uploadId }) => uploadId)).toEqual(["upload-of-a", "upload-of-b"]));
    uploads.giveUp(uploads.snapshot()[0]?.id as string);
    uploads.stop();
    open();
    expect(kept.all().map(({ name }) => name)).toEqual(["b"]);
    expect(uploads.snapshot()).toEqual([]);
  });

  it("that were resumed are forgotten too when they are given up", async () => {
    server.gate = new Promise(() => {});
    const begun = { key: "old", uploadId: "upload-of-a", name: "a", size: 7, details: NO_DETAILS, begunAt: Date.now() };
    kept.keep({ ...begun, sha256: "ab".repeat(32) });
    uploads.add([file("a")], NO_DETAILS);
    await eventually(() => expect(states()).toEqual([["a", "sending"]]));
    uploads.giveUp(uploads.snapshot()[0]?.id as string);
    expect(kept.all()).toEqual([]);
  });
});

it("offers to resume what nothing in this tab works on", async () => {
  const begun = (name: string): KeptUpload => {
    const details: Details = NO_DETAILS;
    return { key: name, uploadId: "u", name, size: 7, sha256: "s", details, begunAt: Date.now() };
  };
  uploads.add([file("a")], NO_DETAILS);
  expect(interrupted([begun("a"), begun("b")], uploads.snapshot()).map(({ name }) => name)).toEqual(["b"]);
});
