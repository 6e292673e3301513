/** Sends a part with its progress, which fetch does not tell. */
import { ApiProblem, problemOf } from "@/api/problem";
import { loggedIn, sessions } from "@/api/session";

const MARGIN_MS = 60_000;

/** PUTs bytes as the person; a refused token is renewed once. Raises ApiProblem, and AbortError when cancelled. */
export async function putBytes(
  path: string,
  bytes: Blob,
  digest: string,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  let session = loggedIn();
  if (session.expiresAt - Date.now() < MARGIN_MS) session = (await sessions.renew(session)) ?? loggedIn();
  let response = await put(path, bytes, digest, session.accessToken, onSent, signal);
  if (response.status === 401) {
    session = (await sessions.renew(session)) ?? loggedIn();
    response = await put(path, bytes, digest, session.accessToken, onSent, signal);
  }
  if (!response.ok) throw await problemOf(response);
}

function put(
  path: string,
  bytes: Blob,
  digest: string,
  token: string,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Response> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const onAbort = () => request.abort();
    signal.addEventListener("abort", onAbort);
    request.upload.addEventListener("progress", (event) => onSent(event.loaded));
    request.addEventListener("load", () => resolve(answered(request)));
    request.addEventListener("error", () => reject(new ApiProblem(0, "offline", "The part did not arrive.")));
    request.addEventListener("abort", () => reject(signal.reason));
    request.addEventListener("loadend", () => signal.removeEventListener("abort", onAbort));
    request.open("PUT", path);
    request.setRequestHeader("authorization", `Bearer ${token}`);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.setRequestHeader("content-digest", `sha-256=:${digest}:`);
    request.send(bytes);
  });
}

function answered(request: XMLHttpRequest): Response {
  const retryAfter = request.getResponseHeader("retry-after");
  return new Response(request.responseText, {
    status: request.status,
    headers: retryAfter ? { "retry-after": retryAfter } : {},
  });
}
