import { describe, expect, it } from "vitest";
import { reasonInWords } from "./reason-words";

describe("the planner's reasons", () => {
  it("are given part by part in Chinese", () => {
    expect(reasonInWords("no history; the question stands alone", "zh")).toBe("没有历史对话；问题本身完整");
    expect(reasonInWords("needs tools: CALCULATION (“1+1”)", "zh")).toBe("需要工具：CALCULATION (“1+1”)");
  });

  it("stay as they are in English, and where they are not known", () => {
    expect(reasonInWords("the question stands alone", "en")).toBe("the question stands alone");
    expect(reasonInWords("said by a model", "zh")).toBe("said by a model");
  });
});
