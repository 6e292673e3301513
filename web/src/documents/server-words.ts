/** The service's own sentences about a document (strategy, log) in Chinese; what is not known here stays as it is. */
import { type Language, useLanguage } from "@/shared/language";
import { causeOf, PROBLEM_WORDS } from "@/shared/problem-words";
import { strategyWords } from "./strategy/strategies";

type Say = (...found: string[]) => string;

const CHANGED: Readonly<Record<string, string>> = {
  title: "标题",
  tags: "标签",
  "org tag": "组织标签",
  "who may read it": "谁能看到",
};

function changedWords(name: string): string {
  return CHANGED[name] ?? name;
}

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
  [
    /^Its words change abruptly at ([\d,]+) of ([\d,]+) places, so it is cut where the topic changes\.$/,
    (jumps, places) => `${places} 处中有 ${jumps} 处用词突变，在话题转换的地方切分。`,
  ],
  [
    /^Text of ([\d,]+) pages was recognised in pictures with (\d+%) certainty\.$/,
    (pages, certainty) => `${pages} 页的文字由图片识别而来，可信度 ${certainty}。`,
  ],
  [
    /^No model said where its topics begin: (\w+)\. It is cut by length alone\.$/,
    (reason) => `语言模型没有标出话题的起点，只按长度切分：${causeOf(reason ?? "", "zh")}`,
  ],
  [
    /^Topics were looked for in the first ([\d,]+) of ([\d,]+) passages only\.$/,
    (looked, all) => `只在前 ${looked} 段中查找了话题（共 ${all} 段）。`,
  ],
  [/^Chosen by hand\.$/, () => "由人选定。"],
  [/^Strategy ([\w+]+) was chosen\.$/, (strategy) => `已选定切分方式：${strategyWords(strategy ?? "", "zh")}。`],
  [/^Waits until somebody has confirmed how it is cut\.$/, () => "等待确认切分方式。"],
  [
    /^Lets another person's document go first; what is indexed stays\.$/,
    () => "让其他人的文档先处理，已完成的部分保留。",
  ],
  [/^The content was here already: no parts had to travel\.$/, () => "相同内容已在服务器上，没有传输。"],
  [/^Taken over from the same content\.$/, () => "直接沿用相同内容的结果。"],
  [/^Is processed again\.$/, () => "已开始重新处理。"],
  [/^The chunks from before go on answering\.$/, () => "原来的内容仍可检索。"],
  [/^Changed: ([\w, ]+)\.$/, (names) => `已更改：${(names ?? "").split(", ").map(changedWords).join("、")}。`],
  [/^An administrator has it tried again\.$/, () => "管理员已重新投递。"],
  [/^To be fetched from its address\.$/, () => "等待从网址抓取。"],
  [/^Fetched (.+) from (.+)\.$/, (name, host) => `已从 ${host} 抓取 ${name}。`],
  [/^Read with (.+)\.$/, (parser) => `已读取（${parser}）。`],
  [
    /^Strategy ([\w+]+)\.\s*(.*)$/,
    (strategy, reasons) => `切分方式：${strategyWords(strategy ?? "", "zh")}。${sentences(reasons ?? "")}`,
  ],
  [/^Cut into (\d+) pieces\.$/, (pieces) => `切分为 ${pieces} 个片段。`],
  [/^Searchable\.$/, () => "已可检索。"],
  [/^Uploaded\.$/, () => "已上传。"],
  [/^Waits ([\d.]+) s: (\w+)\.$/, (seconds, reason) => `${seconds} 秒后重试：${causeOf(reason ?? "", "zh")}`],
];

/** A sentence of the service in the page's language. */
export function sentenceWords(sentence: string, language: Language): string {
  if (language === "en") return englishWords(sentence);
  for (const [pattern, say] of SENTENCES) {
    const found = pattern.exec(sentence);
    if (found) return say(...found.slice(1));
  }
  return sentence;
}

/** The service's English, with words for the names that it uses. */
function englishWords(sentence: string): string {
  const [, seconds, reason = ""] = /^Waits ([\d.]+) s: (\w+)\.$/.exec(sentence) ?? [];
  if (PROBLEM_WORDS.en[reason]) return `Tries again in ${seconds} s. ${causeOf(reason, "en")}`;
  const [, chosen] = /^Strategy ([\w+]+) was chosen\.$/.exec(sentence) ?? [];
  if (chosen) return `Cut ${strategyWords(chosen, "en")}, as was chosen.`;
  return sentence.replace(/^Strategy ([\w+]+)\./, (_, strategy: string) => `Cut ${strategyWords(strategy, "en")}.`);
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
