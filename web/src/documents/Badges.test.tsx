import { cleanup, configure, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setLanguage } from "@/shared/language";
import { Badges } from "./Badges";
import { DocumentStateView } from "./DocumentStateView";
import type { Document } from "./following";

// Nothing here is hidden, and to find that out of every element takes seconds.
configure({ defaultHidden: true });

function document(more: Partial<Document>): Document {
  return { id: "d", title: "Leave", state: "READY", progress: 100, source_url: "", ...more } as Document;
}

function shown(more: Partial<Document>): string {
  const { container } = render(
    <MemoryRouter>
      <Badges document={document(more)} />
      <DocumentStateView document={document(more)} />
    </MemoryRouter>,
  );
  return container.textContent ?? "";
}

beforeEach(() => setLanguage("en"));
afterEach(cleanup);

describe("a document in the list", () => {
  it("says that it was taken over and where it was fetched from", () => {
    expect(shown({ instant: true, source_url: "https://docs.example.org/a.pdf" })).toBe(
      "InstantFrom docs.example.orgReady",
    );
  });

  it("says that its previous version answers while it is processed again, and only then", () => {
    expect(shown({ state: "CHUNKING", progress: 45, answering: true })).toContain("Previous version answers");
    expect(shown({ state: "CHUNKING", progress: 45, answering: false })).not.toContain("Previous version");
    expect(shown({ answering: true })).toBe("Ready");
  });

  it("says that its last run failed although it is ready", () => {
    const failure = { stage: "parse", reason: "parse_timeout", message: "" };
    expect(shown({ answering: true, failure })).toContain("Processing it again did not succeed: Reading the file took");
    expect(shown({ state: "FAILED", failure })).toBe("FailedReading the file took too long and was stopped.");
  });

  it("leads to its pieces when it waits for its owner, and shows no progress", () => {
    shown({ state: "PARSED", progress: 35, waiting_reason: "awaiting_strategy" });
    expect(screen.getByText("Waits for you")).toBeDefined();
    expect(screen.getByRole("link", { name: "Look and confirm" }).getAttribute("href")).toBe("/documents/d/pieces");
    expect(screen.queryByRole("progressbar")).toBeNull();
  });

  it("says what it waits for", () => {
    expect(shown({ state: "INDEXING", progress: 60, waiting_reason: "others_first" })).toContain("go first");
    expect(shown({ state: "UPLOADED", progress: 5, waiting_reason: "queued" })).toBe("Waiting its turn5%");
  });
});
