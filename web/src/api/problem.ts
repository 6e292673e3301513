/** What went wrong with a request, as the gateway says it (RFC 9457), or that it was not reached. */

export class ApiProblem extends Error {
  override name = "ApiProblem";

  /** `status` 0 and reason `offline` when nothing answered; `members` are what the reason adds. */
  constructor(
    readonly status: number,
    readonly reason: string,
    readonly detail: string,
    readonly traceId: string = "",
    readonly retryAfterSeconds: number | null = null,
    readonly members: Readonly<Record<string, unknown>> = {},
  ) {
    super(`${status} ${reason}: ${detail}`);
  }

  /** Whether the same request may fare better later; what is refused or not there stays so. */
  get mayPass(): boolean {
    return this.status < 400 || this.status >= 500 || [401, 408, 409, 425, 429].includes(this.status);
  }
}

export async function problemOf(response: Response): Promise<ApiProblem> {
  const retryAfter = Number(response.headers.get("retry-after"));
  const body = await response.json().catch(() => null);
  const members: Record<string, unknown> = body && typeof body === "object" ? body : {};
  return new ApiProblem(
    response.status,
    typeof members.reason === "string" ? members.reason : "request_failed",
    typeof members.detail === "string" ? members.detail : response.statusText,
    typeof members.trace_id === "string" ? members.trace_id : "",
    retryAfter > 0 ? retryAfter : null,
    members,
  );
}

/** Any failure as a problem; a fetch that fails has reached nobody. */
export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  if (error instanceof TypeError) return new ApiProblem(0, "offline", error.message);
  return new ApiProblem(0, "page_fault", error instanceof Error ? error.message : String(error));
}
