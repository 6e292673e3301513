/** The gateway's API, typed by its own description (`make page-types`). */
import createClient from "openapi-fetch";
import { ApiProblem, asProblem, problemOf } from "./problem";
import type { components, paths } from "./schema";
import { sessions } from "./session";

export type Schemas = components["schemas"];

export const api = createClient<paths>({
  baseUrl: location.origin,
  fetch: (request: Request) => sessions.fetch(request),
  querySerializer: { array: { style: "form", explode: true } },
});

interface Answered<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** What an API call answered. Raises ApiProblem, whatever went wrong. */
export async function answerOf<T>(call: Promise<Answered<T>>): Promise<T> {
  let answered: Answered<T>;
  try {
    answered = await call;
  } catch (error) {
    throw asProblem(error);
  }
  const { data, error, response } = answered;
  if (response.ok) return data as T;
  throw await problemOf(new Response(JSON.stringify(error ?? null), response));
}

/** The answer of a request that the typed client cannot send, for example raw bytes. Raises ApiProblem. */
export async function send(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await sessions.fetch(new Request(new URL(path, location.origin), init));
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw asProblem(error);
  }
  if (response.ok) return response;
  throw await problemOf(response);
}

export { ApiProblem };
