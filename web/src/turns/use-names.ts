import { useQuery } from "@tanstack/react-query";
import { answerOf, api } from "@/api/client";

const STALE_MS = 5 * 60_000;

/** Names of knowledge domains and skills by code; a code stands for itself until, and unless, it is named. */
export function useNames(): { domain: (code: string) => string; skill: (code: string) => string } {
  const domains = useQuery({ queryKey: ["domains"], queryFn: () => answerOf(api.GET("/api/v1/domains")) }).data
    ?.domains;
  const skills = useQuery({
    queryKey: ["skills"],
    queryFn: () => answerOf(api.GET("/api/v1/skills")),
    staleTime: STALE_MS,
  }).data?.skills;
  return {
    domain: (code) => domains?.find((domain) => domain.code === code)?.name || code,
    skill: (code) => skills?.find((skill) => skill.code === code)?.name || code,
  };
}
