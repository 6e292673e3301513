/** The page's language and the strings of a feature in it. */
import { useSyncExternalStore } from "react";

export type Language = "zh" | "en";

const KEY = "superagent.language";
const listeners = new Set<() => void>();
let language: Language = initial();

function initial(): Language {
  const chosen = localStorage.getItem(KEY);
  if (chosen === "zh" || chosen === "en") return chosen;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

function currentLanguage(): Language {
  return language;
}

export function setLanguage(chosen: Language): void {
  language = chosen;
  localStorage.setItem(KEY, chosen);
  for (const listener of listeners) listener();
}

function subscribeToLanguage(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useLanguage(): Language {
  return useSyncExternalStore(subscribeToLanguage, currentLanguage);
}

/** A string, or a function that makes one of its parameters. */
// biome-ignore lint/suspicious/noExplicitAny: the parameters are the message's own
export type Message = string | ((...parameters: any[]) => string);
type SameShape<T> = { [K in keyof T]: T[K] extends string ? string : T[K] };

export interface Strings<T> {
  zh: T;
  en: SameShape<T>;
}

/** Both languages of a feature's strings; a key that one of them lacks does not compile. */
export function strings<T extends Record<string, Message>>(zh: T, en: SameShape<T>): Strings<T> {
  return { zh, en };
}

/** A feature's strings in the page's language. */
export function useStrings<T>(both: Strings<T>): SameShape<T> {
  return both[useLanguage()] as SameShape<T>;
}

/** Words by a name that the service gives; a name that is not known here stands for itself. */
export function named(words: Readonly<Record<string, string>>, otherwise?: string): (name: string) => string {
  return (name) => words[name] ?? otherwise ?? name;
}
