import { expect, it } from "vitest";
import { exportName, linkOf } from "./letters";

const ID = "0193a000-0000-7000-8000-000000000000";

it("leads to the document or turn that a letter is about", () => {
  expect(linkOf({ topic: "superagent.document.uploaded.v1", key: ID })).toBe(`/documents/${ID}`);
  expect(linkOf({ topic: "superagent.turn.completed.v1", key: ID })).toBe(`/turns/${ID}`);
});

it("leads nowhere when there is no page for it", () => {
  expect(linkOf({ topic: "superagent.user.banned.v1", key: ID })).toBeNull();
  expect(linkOf({ topic: "superagent.document.uploaded.v1", key: "../admin/users" })).toBeNull();
});

it("names exports by their time", () => {
  expect(exportName(new Date("2026-11-30T04:05:06.789Z"))).toBe("dead-letters-2026-11-30T04-05-06.ndjson");
});
