/** Ways to cut a document: pipelines of steps such as `structure+recursive`, in words. */
import type { Language } from "@/shared/language";

const STEPS: Record<Language, Readonly<Record<string, string>>> = {
  zh: { structure: "按结构", recursive: "按长度递归", semantic: "按语义", model: "由模型" },
  en: { structure: "by structure", recursive: "by length", semantic: "by meaning", model: "by a model" },
};

/** One line each, for people who have never heard of it. */
const EXPLAINED: Record<Language, Readonly<Record<string, string>>> = {
  zh: {
    "structure+recursive": "沿着标题切分，片段不跨章节，长度适中。",
    recursive: "在段落和句子之间切开，适合没有标题的文档。",
    "structure+recursive+semantic": "沿着标题切分，长章节再从话题转换处切开。",
    "recursive+semantic": "在话题转换的地方切开，适合没有标题的长文。",
    "model+recursive": "由语言模型标出话题的起点；较慢，并消耗 token。",
  },
  en: {
    "structure+recursive": "Follows the headings: no piece crosses a section.",
    recursive: "Cuts between paragraphs and sentences; for text without headings.",
    "structure+recursive+semantic": "Follows the headings, and cuts long sections where the topic changes.",
    "recursive+semantic": "Cuts where the topic changes; for long text without headings.",
    "model+recursive": "A language model says where topics begin; slower, and it costs tokens.",
  },
};

/** `structure+recursive` in words. */
export function strategyWords(strategy: string, language: Language): string {
  const steps = strategy.split("+").map((step) => STEPS[language][step] ?? step);
  return steps.join(language === "zh" ? " + " : ", then ");
}

/** What a strategy does, in one line; empty for one that is not known here. */
export function strategyExplained(strategy: string, language: Language): string {
  return EXPLAINED[language][strategy] ?? "";
}

/** What can be chosen, the recommended one first and each once. */
export function choices(available: readonly string[], recommended: string, current: string): string[] {
  const all = [recommended, current, ...available].filter((strategy) => strategy !== "");
  return [...new Set(all)];
}
