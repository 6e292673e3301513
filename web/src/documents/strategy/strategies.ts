/** Ways to cut a document: pipelines of steps such as `structure+recursive`, in words. */
import type { Language } from "@/shared/language";

interface StepWords {
  name: string;
  /** One line for people who have never heard of it. */
  explained: string;
}

const STEPS: Record<Language, Readonly<Record<string, StepWords>>> = {
  zh: {
    structure: { name: "按结构", explained: "沿着标题切分，片段不会跨越章节。" },
    recursive: { name: "按长度递归", explained: "在段落和句子之间切开，长度适中。" },
    semantic: { name: "按语义", explained: "把边界移到话题转换的地方。" },
    model: { name: "由模型", explained: "由语言模型标出话题的起点；较慢，并消耗 token。" },
  },
  en: {
    structure: { name: "by structure", explained: "Follows the headings: a piece never crosses a section." },
    recursive: { name: "by length", explained: "Cuts between paragraphs and sentences, into pieces of a good length." },
    semantic: { name: "by meaning", explained: "Moves the borders to where the topic changes." },
    model: { name: "by a model", explained: "A language model marks where topics begin; slower, and it costs tokens." },
  },
};

/** `structure+recursive` in words. */
export function strategyWords(strategy: string, language: Language): string {
  const steps = strategy.split("+").map((step) => STEPS[language][step]?.name ?? step);
  return steps.join(language === "zh" ? " + " : ", then ");
}

/** What a strategy does, a sentence for each of its steps; empty when none of them is known. */
export function strategyExplained(strategy: string, language: Language): string {
  const sentences = strategy.split("+").flatMap((step) => STEPS[language][step]?.explained ?? []);
  return sentences.join(language === "zh" ? "" : " ");
}

/** What can be chosen, the recommended one first and each once. */
export function choices(available: readonly string[], recommended: string, current: string): string[] {
  const all = [recommended, current, ...available].filter((strategy) => strategy !== "");
  return [...new Set(all)];
}
