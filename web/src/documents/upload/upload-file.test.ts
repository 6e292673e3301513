import { beforeEach, describe, expect, it } from "vitest";
import type { Schemas } from "@/api/client";
import { ApiProblem } from "@/api/problem";
import { NO_DETAILS } from "../details";
import { KeptUploads } from "./kept";
import type { Progress } from "./plan";
import { Slots } from "./slots";
import { type Reach, uploadFile } from "./upload-file";

const PART = 4;

/** A server that keeps parts in memory; `faults` are raised by the next requests of that kind. */
class FakeServer implements Reach {
  received = new Set<number>();
  sent: number[] = [];
  pauses: number[] = [];
  keys: string[] = [];
  begun = 0;
  completed = false;
  instant = false;
  most = 0;
  faults: Record<"create" | "prove" | "put" | "complete", (ApiProblem | Error)[]> = {
    create: [],
    prove: [],
    put: [],
    complete: [],
  };
  /** Asked until it is answered once. */
  challenge: Schemas["Challenge"] | undefined;
  hashed: Blob[] = [];
  proofs: string[] = [];
  private running = 0;
  private total = 0;
  private keyed = new Map<string, string>();

  sha256 = async (blob: Blob, onRead: (bytes: number) => void) => {
    this.hashed.push(blob);
    onRead(blob.size);
    return "ab".repeat(32);
  };
  create = async (body: { size: number }, key: string) => {
    this.keys.push(key);
    this.total = Math.ceil(body.size / PART);
    if (!this.keyed.has(key)) this.keyed.set(key, `upload-${++this.begun}`);
    this.raise("create");
    return this.answer(this.keyed.get(key) as string);
  };
  look = async (uploadId: string) => {
    if (![...this.keyed.values()].includes(uploadId)) throw new ApiProblem(404, "unknown_upload", "");
    return this.answer(uploadId);
  };
  put = async (_: string, number: number, bytes: Blob, _digest: string, onSent: (bytes: number) => void) => {
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    await Promise.resolve();
    this.running -= 1;
    onSent(bytes.size);
    this.raise("put");
    this.sent.push(number);
    this.received.add(number);
  };
  prove = async (uploadId: string, digest: string) => {
    this.proofs.push(digest);
    this.challenge = undefined;
    this.raise("prove");
    return { ...this.answer(uploadId), instant: true, document_id: "document-of-another-content" };
  };
  complete = async () => {
    this.raise("complete");
    this.completed = true;
    return "document-1";
  };
  pause = async (milliseconds: number) => {
    this.pauses.push(milliseconds);
  };
  newKey = () => `key-${this.keyed.size + 1}`;
  now = () => 1000;

  forgetUploads(): void {
    this.keyed.clear();
    this.received.clear();
  }

  private answer(uploadId: string) {
    const parts_received = [...this.received];
    const { challenge, instant, total: parts_total } = this;
    const asked = challenge && { challenge };
    return { upload_id: uploadId, part_size: PART, parts_total, parts_received, instant, ...asked };
  }
  private raise(kind: keyof FakeServer["faults"]): void {
    const fault = this.faults[kind].shift();
    if (fault) throw fault;
  }
}

const offline = () => new ApiProblem(0, "offline", "");
const file = new File(["0123456789abcde"], "a.md");
let server: FakeServer;
let kept: KeptUploads;
let seen: Progress[];

function upload(stop = new AbortController(), details = NO_DETAILS) {
  const report = (progress: Progress) => seen.push(progress);
  return uploadFile(file, details, server, kept, new Slots(3), report, stop.signal);
}

beforeEach(() => {
  localStorage.clear();
  server = new FakeServer();
  kept = new KeptUploads(
    localStorage,
    () => "person",
    () => 1000,
  );
  seen = [];
});

describe("an upload", () => {
  it("sends every part, at most three at once, and becomes a document", async () => {
    await expect(upload()).resolves.toEqual({ documentId: "document-1", instant: false });
    expect([...server.received].sort()).toEqual([0, 1, 2, 3]);
    expect(server.most).toBe(3);
    expect(kept.all()).toEqual([]);
  });

  it("tells how far it is in bytes, ending with all of them", async () => {
    await upload();
    const sending = seen.filter((progress) => progress.phase === "sending");
    expect(sending[0]?.done).toBe(0);
    expect(sending.at(-1)?.done).toBe(15);
    expect(seen.at(-1)?.phase).toBe("completing");
  });

  it("sends nothing when the content is there already", async () => {
    server.instant = true;
    await expect(upload()).resolves.toEqual({ documentId: "document-1", instant: true });
    expect(server.sent).toEqual([]);
  });

  it("tries a part again after a broken line", async () => {
    server.faults.put = [offline(), new ApiProblem(503, "object_store_unavailable", "", "", 4)];
    await upload();
    expect(server.completed).toBe(true);
    expect(server.pauses).toHaveLength(2);
    expect(server.pauses[1]).toBe(4000);
  });

  it("gives up on a part that is refused for good, and goes on from there when it is tried again", async () => {
    server.faults.put = [new ApiProblem(409, "part_differs", "")];
    await expect(upload()).rejects.toMatchObject({ reason: "part_differs" });
    const arrived = server.sent.length;
    await upload();
    expect(server.begun).toBe(1);
    expect(server.sent).toHaveLength(4);
    expect(arrived).toBeLessThan(4);
  });

  it("gives up after six tries of the same part", async () => {
    server.faults.create = Array.from({ length: 9 }, offline);
    await expect(upload()).rejects.toMatchObject({ reason: "offline" });
    expect(server.pauses).toHaveLength(5);
  });

  it("asks with the same key again when the first answer was lost, so that it begins once", async () => {
    server.faults.create = Array.from({ length: 6 }, offline);
    await expect(upload()).rejects.toMatchObject({ reason: "offline" });
    await upload();
    expect(new Set(server.keys).size).toBe(1);
    expect(server.begun).toBe(1);
  });

  it("sends what the server lost", async () => {
    server.faults.complete = [new ApiProblem(409, "parts_missing", "")];
    const lose = server.complete;
    server.complete = async () => {
      if (server.faults.complete.length > 0) server.received.delete(1);
      return lose();
    };
    await upload();
    expect(server.sent).toEqual([0, 1, 2, 3, 1]);
  });

  it("begins anew when the server has forgotten it", async () => {
    server.faults.put = [new ApiProblem(409, "part_differs", "")];
    await expect(upload()).rejects.toBeDefined();
    server.forgetUploads();
    await expect(upload()).resolves.toMatchObject({ documentId: "document-1" });
    expect(server.received.size).toBe(4);
  });

  it("does not take up an upload that was begun with other details", async () => {
    server.faults.put = [new ApiProblem(409, "part_differs", "")];
    await expect(upload(undefined, { ...NO_DETAILS, is_public: true })).rejects.toBeDefined();
    await upload();
    expect(server.begun).toBe(2);
  });

  it("forgets what was refused before it began", async () => {
    server.faults.create = [new ApiProblem(400, "unknown_org_tag", "")];
    await expect(upload()).rejects.toMatchObject({ reason: "unknown_org_tag" });
    expect(kept.all()).toEqual([]);
  });

  it("stops when it is cancelled", async () => {
    const stop = new AbortController();
    server.put = async () => {
      stop.abort(new DOMException("", "AbortError"));
      throw offline();
    };
    await expect(upload(stop)).rejects.toMatchObject({ name: "AbortError" });
    expect(server.completed).toBe(false);
  });
});

describe("an upload of a content that another person stored", () => {
  beforeEach(() => {
    server.challenge = {
      nonce: "00ff10",
      ranges: [
        { start: 1, end: 4 },
        { start: 12, end: 15 },
      ],
    };
  });

  it("proves that the content is here and sends nothing", async () => {
    await expect(upload()).resolves.toEqual({ documentId: "document-of-another-content", instant: true });
    expect(server.proofs).toEqual(["ab".repeat(32)]);
    expect(server.sent).toEqual([]);
    expect(seen.at(-2)?.phase).toBe("proving");
    expect(kept.all()).toEqual([]);
  });

  it("hashes the nonce and then the asked bytes, and no others", async () => {
    await upload();
    const bytes = new Uint8Array((await server.hashed.at(-1)?.arrayBuffer()) as ArrayBuffer);
    expect([...bytes]).toEqual([0x00, 0xff, 0x10, ...new TextEncoder().encode("123cde")]);
  });

  it("travels in parts when the proof is refused, without saying so", async () => {
    server.faults.prove = [new ApiProblem(403, "possession_not_proved", "")];
    await expect(upload()).resolves.toEqual({ documentId: "document-1", instant: false });
    expect(server.sent).toHaveLength(4);
    expect(server.proofs).toHaveLength(1);
  });

  it("proves it again after a broken line", async () => {
    server.faults.prove = [offline()];
    await expect(upload()).resolves.toMatchObject({ instant: true });
    expect(server.proofs).toHaveLength(2);
  });

  it("waits for the person when the line stays broken, and proves it then", async () => {
    server.faults.prove = Array.from({ length: 6 }, offline);
    const { challenge } = server;
    await expect(upload()).rejects.toMatchObject({ reason: "offline" });
    server.challenge = challenge;
    await expect(upload()).resolves.toMatchObject({ instant: true });
    expect(server.sent).toEqual([]);
  });
});

describe("kept uploads", () => {
  const record = { key: "k", uploadId: "u", name: "a", size: 1, sha256: "s", details: NO_DETAILS, begunAt: 1000 };

  it("are each person's own", () => {
    kept.keep(record);
    expect(
      new KeptUploads(
        localStorage,
        () => "another",
        () => 1000,
      ).all(),
    ).toEqual([]);
    expect(kept.all()).toEqual([record]);
  });

  it("end when the server forgets them", () => {
    kept.keep(record);
    expect(
      new KeptUploads(
        localStorage,
        () => "person",
        () => 1001 + 7 * 86_400_000,
      ).all(),
    ).toEqual([]);
  });

  it("survive what somebody else wrote in their place", () => {
    localStorage.setItem("superagent.uploads", "{nonsense");
    expect(kept.all()).toEqual([]);
  });
});
