import { expect, test } from "vitest";
import { formats } from "./time";

const now = () => new Date(2026, 10, 30, 12);
const time = (year: number) => new Date(year, 2, 5, 9, 7).toISOString();

test("a time says its year only when it is another", () => {
  const english = formats("en", now);
  expect(english.time(time(2026))).toBe("5 Mar, 09:07");
  expect(english.time(time(2025))).toBe("5 Mar 2025, 09:07");
  expect(formats("zh", now).time(time(2026))).toBe("3月5日 09:07");
  expect(english.time(null)).toBe("");
});
