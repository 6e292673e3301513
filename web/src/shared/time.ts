/** Times, durations and sizes as people write them. */
import { type Language, useLanguage } from "./language";

const LOCALES: Record<Language, string> = { zh: "zh-CN", en: "en-GB" };

export interface Formats {
  /** Date and time of day of an RFC 3339 time, the year only when it is another; an empty string for none. */
  time(value: string | null | undefined): string;
  /** As `time`, to the second. */
  exactTime(value: string): string;
  number(value: number): string;
  /** Milliseconds as "320 ms", "4.2 s" or "3 min 5 s". */
  duration(milliseconds: number): string;
  /** Bytes as "12.3 MB". */
  size(bytes: number): string;
  percent(share: number): string;
  /** A score with three places. */
  score(value: number): string;
  /** A number with at most three significant digits. */
  figures(value: number): string;
}

export function formats(language: Language, now: () => Date = () => new Date()): Formats {
  const locale = LOCALES[language];
  const time = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
  const timeThisYear = new Intl.DateTimeFormat(locale, {
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: "percent" });
  const score = new Intl.NumberFormat(locale, { minimumFractionDigits: 3, maximumFractionDigits: 3 });
  const figures = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 });
  const short = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  return {
    time: (value) => {
      if (!value) return "";
      const date = new Date(value);
      return (date.getFullYear() === now().getFullYear() ? timeThisYear : time).format(date);
    },
    exactTime: (value) => exact.format(new Date(value)),
    number: (value) => number.format(value),
    duration: (milliseconds) => {
      if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
      if (milliseconds < 60_000) return `${short.format(milliseconds / 1000)} s`;
      return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
    },
    size: (bytes) => {
      const units = ["B", "KB", "MB", "GB"];
      let value = bytes;
      let unit = 0;
      while (value >= 1000 && unit < units.length - 1) {
        value /= 1024;
        unit += 1;
      }
      return `${short.format(value)} ${units[unit]}`;
    },
    percent: (share) => percent.format(share),
    score: (value) => score.format(value),
    figures: (value) => figures.format(value),
  };
}

const MADE: Record<Language, Formats> = { zh: formats("zh"), en: formats("en") };

/** The formats of the page's language. */
export function useFormats(): Formats {
  return MADE[useLanguage()];
}
