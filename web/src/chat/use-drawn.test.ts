import { act, cleanup, renderHook, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { newTurn, type TurnView } from "./turn-view";
import { useDrawn } from "./use-drawn";

afterEach(cleanup);

const turns = (from: number, to: number): TurnView[] =>
  Array.from({ length: to - from }, (_, index) => newTurn(`t${from + index}`, "c", "?"));

describe("the turns of a long conversation", () => {
  it("are drawn from the newest upwards until all are", async () => {
    const all = turns(0, 50);
    const { result } = renderHook(() => useDrawn(all));
    expect([...result.current]).toEqual(all.slice(-12).map(({ key }) => key));
    await waitFor(() => expect(result.current.size).toBe(50), { timeout: 30_000 });
  });

  it("stay drawn when newer ones come, and those are drawn at once", async () => {
    const all = turns(0, 13);
    const { result, rerender } = renderHook((shown: readonly TurnView[]) => useDrawn(shown), { initialProps: all });
    await waitFor(() => expect(result.current.size).toBe(13), { timeout: 30_000 });
    act(() => rerender([...all, ...turns(13, 15)]));
    expect(result.current.size).toBe(15);
  });
});
