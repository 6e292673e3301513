/** The service's own sentences about a document (strategy, log) in Chinese; what is not known here stays as it is. */
import { type Language, useLanguage } from "@/shared/language";
import { PROBLEM_WORDS } from "@/shared/problem-words";
import { strategyWords } from "./strategy/strategies";

type Say = (...found: string[]) => string;

const SENTENCES: readonly (readonly [RegExp, Say])[] = [
  [
    /^It has no headings, so only paragraphs and sentences show where to cut\.$/,
    () => "文档没有标题，按段落和句子切分。",
  ],
  [
    /^Its headings are ([\d,]+) characters apart on average, too far to tell what a passage is about\.$/,
    (characters) => `标题平均相隔 ${characters} 字，间隔太远，不足以说明段落的主题。`,
  ],
  [
    /^(\d+) headings on (\d+) levels divide it into sections\.$/,
    (headings, levels) => `${headings} 个标题、${levels} 个层级，按章节划分。`,
  ],
  [
    /^Its longest paragraph has ([\d,]+) characters and is cut between sentences\.$/,
    (characters) => `最长的段落有 ${characters} 字，在句子之间切开。`,
  ],
  [
    /^(\d+%) of it are tables: they keep their heading and repeat their header row\.$/,
    (share) => `表格占 ${share}：切分时保留表题，并重复表头。`,
  ],
  [/^Read with (.+)\.$/, (parser) => `已读取（${parser}）。`],
  [
    /^Strategy ([\w+]+)\.\s*(.*)$/,
    (strategy, reasons) => `切分方式：${strategyWords(strategy ?? "", "zh")}。${sentences(reasons ?? "")}`,
  ],
  [/^Cut into (\d+) pieces\.$/, (pieces) => `切分为 ${pieces} 个片段。`],
  [/^Searchable\.$/, () => "已可检索。"],
  [/^Uploaded\.$/, () => "已上传。"],
  [
    /^Waits ([\d.]+) s: (\w+)\.$/,
    (seconds, reason) => `${seconds} 秒后重试：${PROBLEM_WORDS.zh[reason ?? ""] ?? reason}`,
  ],
];

/** A sentence of the service in the page's language. */
export function sentenceWords(sentence: string, language: Language): string {
  if (language === "en") {
    const waits = /^Waits ([\d.]+) s: (\w+)\.$/.exec(sentence);
    const words = waits && PROBLEM_WORDS.en[waits[2] ?? ""];
    return words ? `Tries again in ${waits[1]} s. ${words}` : sentence;
  }
  for (const [pattern, say] of SENTENCES) {
    const found = pattern.exec(sentence);
    if (found) return say(...found.slice(1));
  }
  return sentence;
}

function sentences(text: string): string {
  return text
    .split(/(?<=\.)\s+(?=[A-Z\d])/)
    .filter(Boolean)
    .map((sentence) => sentenceWords(sentence, "zh"))
    .join("");
}

export function useSentenceWords(): (sentence: string) => string {
  const language = useLanguage();
  return (sentence) => sentenceWords(sentence, language);
}
