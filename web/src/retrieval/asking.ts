/** What is asked of retrieval, kept in the address so that a reload or a link asks the same. */
import type { Schemas } from "@/api/client";

export const DEFAULT_TOP_K = 5;
export const MOST_TOP_K = 50;
export const MOST_CHARACTERS = 8000;
export const MOST_HINT_CHARACTERS = 2000;

export interface Asked {
  question: string;
  domains: string[];
  topK: number;
  documents: string[];
  tags: string[];
  languages: string[];
  categories: string[];
  /** What was asked before, or topic words. */
  historyHint: string;
  hintWords: string[];
}

export function askedOf(parameters: URLSearchParams): Asked {
  const topK = Number(parameters.get("top_k") ?? DEFAULT_TOP_K);
  return {
    question: parameters.get("q") ?? "",
    domains: parameters.getAll("domain"),
    topK: Number.isInteger(topK) && topK >= 1 && topK <= MOST_TOP_K ? topK : DEFAULT_TOP_K,
    documents: parameters.getAll("document"),
    tags: parameters.getAll("tag"),
    languages: parameters.getAll("language"),
    categories: parameters.getAll("category"),
    historyHint: parameters.get("history") ?? "",
    hintWords: parameters.getAll("hint"),
  };
}

export function parametersOf(asked: Asked): URLSearchParams {
  const parameters = new URLSearchParams();
  if (asked.question) parameters.set("q", asked.question);
  if (asked.topK !== DEFAULT_TOP_K) parameters.set("top_k", String(asked.topK));
  for (const [name, values] of [
    ["domain", asked.domains],
    ["document", asked.documents],
    ["tag", asked.tags],
    ["language", asked.languages],
    ["category", asked.categories],
    ["history", asked.historyHint ? [asked.historyHint] : []],
    ["hint", asked.hintWords],
  ] as const)
    for (const value of values) parameters.append(name, value);
  return parameters;
}

export function bodyOf(asked: Asked): Schemas["SearchBody"] {
  return {
    question: asked.question,
    domains: asked.domains,
    top_k: asked.topK,
    use_outline: false,
    history_hint: asked.historyHint,
    hint_words: asked.hintWords,
    filters: {
      document_ids: asked.documents,
      tags: asked.tags,
      languages: asked.languages,
      business_categories: asked.categories,
    },
  };
}

/** How many filters and hints are set. */
export function filterCount({ documents, tags, languages, categories, historyHint, hintWords }: Asked): number {
  return [documents, tags, languages, categories, historyHint, hintWords].filter((values) => values.length > 0).length;
}
