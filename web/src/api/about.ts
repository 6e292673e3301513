import { useQuery } from "@tanstack/react-query";
import { answerOf, api, type Schemas } from "./client";

/** What this installation is; undefined until it is known. */
export function useAbout(): Schemas["AboutAnswer"] | undefined {
  return useQuery({
    queryKey: ["about"],
    queryFn: () => answerOf(api.GET("/api/v1/about")),
    staleTime: 5 * 60_000,
  }).data;
}
