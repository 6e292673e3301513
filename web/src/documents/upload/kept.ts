/** Uploads that were begun, kept over a reload until they are complete. */
import type { Details } from "../details";

/** `key` is the idempotency key; `uploadId` is empty as long as the server's answer is not known. */
export interface KeptUpload {
  key: string;
  uploadId: string;
  name: string;
  size: number;
  sha256: string;
  details: Details;
  begunAt: number;
}

const KEY = "superagent.uploads";
/** The server forgets abandoned uploads after as long. */
const DAYS = 7;

export class KeptUploads {
  constructor(
    private readonly storage: Storage,
    private readonly userId: () => string,
    private readonly now: () => number = Date.now,
  ) {}

  /** The person's, oldest first. */
  all(): KeptUpload[] {
    const oldest = this.now() - DAYS * 86_400_000;
    return (this.read()[this.userId()] ?? []).filter((upload) => upload.begunAt > oldest);
  }

  /** The upload of the same content under the same name with the same details. */
  find(name: string, size: number, sha256: string, details: Details): KeptUpload | undefined {
    const wanted = JSON.stringify([name, size, sha256, ordered(details)]);
    return this.all().find(
      (kept) => JSON.stringify([kept.name, kept.size, kept.sha256, ordered(kept.details)]) === wanted,
    );
  }

  keep(upload: KeptUpload): void {
    this.write([...this.all().filter((kept) => kept.key !== upload.key), upload]);
  }

  forget(key: string): void {
    this.write(this.all().filter((kept) => kept.key !== key));
  }

  private write(uploads: KeptUpload[]): void {
    this.storage.setItem(KEY, JSON.stringify({ ...this.read(), [this.userId()]: uploads }));
  }

  private read(): Record<string, KeptUpload[]> {
    const raw = this.storage.getItem(KEY);
    if (raw === null) return {};
    try {
      const people = JSON.parse(raw);
      return people && typeof people === "object" ? people : {};
    } catch (error) {
      if (error instanceof SyntaxError) return {};
      throw error;
    }
  }
}

function ordered(details: Details): unknown[] {
  const { domain_code, tags, org_tag, is_public, language, review_strategy } = details;
  return [domain_code, tags, org_tag, is_public, language, review_strategy];
}
