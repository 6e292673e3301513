import { useQuery } from "@tanstack/react-query";
import { answerOf, api } from "@/api/client";
import { type Language, useLanguage } from "@/shared/language";

const STALE_MS = 5 * 60_000;

/** Names of knowledge domains and skills by code; a code stands for itself until, and unless, it is named. */
export function useNames(): { domain: (code: string) => string; skill: (code: string) => string } {
  const language = useLanguage();
  const domains = useQuery({ queryKey: ["domains"], queryFn: () => answerOf(api.GET("/api/v1/domains")) }).data
    ?.domains;
  const skills = useQuery({
    queryKey: ["skills"],
    queryFn: () => answerOf(api.GET("/api/v1/skills")),
    staleTime: STALE_MS,
  }).data?.skills;
  return {
    domain: (code) => domains?.find((domain) => domain.code === code)?.name || code,
    skill: (code) => inLanguage(skills?.find((skill) => skill.code === code)?.name || code, language),
  };
}

/** The half of a name that is given in both languages, "中文 / English"; any other name as it is. */
export function inLanguage(name: string, language: Language): string {
  const [zh = "", en = "", ...more] = name.split(" / ");
  return zh && en && more.length === 0 ? (language === "zh" ? zh : en) : name;
}
