import { describe, expect, it } from "vitest";
import { type Stage, timeline } from "./figures";

const stage = (
  name: string,
  started_at: string | null,
  duration_ms: number,
  state: Stage["state"] = "COMPLETED",
): Stage => ({
  name,
  started_at,
  duration_ms,
  state,
  detail: {},
});

describe("the timeline of stages", () => {
  it("draws stages to one scale, by their start", () => {
    const { bars, totalMs } = timeline(
      [
        stage("plan", "2026-01-01T00:00:00.100Z", 100),
        stage("load_memory", "2026-01-01T00:00:00Z", 100),
        stage("execute", "2026-01-01T00:00:00.200Z", 800),
      ],
      0,
    );
    expect(totalMs).toBe(1000);
    expect(bars.map(({ stage: { name }, left, width }) => [name, left, width])).toEqual([
      ["load_memory", 0, 0.1],
      ["plan", 0.1, 0.1],
      ["execute", 0.2, 0.8],
    ]);
  });

  it("lets a stage that still runs reach to now", () => {
    const { bars } = timeline(
      [stage("execute", "2026-01-01T00:00:00Z", 0, "STARTED")],
      Date.parse("2026-01-01T00:00:03Z"),
    );
    expect(bars[0]).toMatchObject({ width: 1, durationMs: 3000 });
  });

  it("draws nothing of what never began", () => {
    expect(timeline([stage("rerank", null, 0, "SKIPPED")], 0)).toEqual({ bars: [], totalMs: 1 });
  });
});
