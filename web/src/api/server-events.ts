/** Server-sent events read from a response's body. */
import { createParser } from "eventsource-parser";
import { ApiProblem } from "./problem";

/** Silence longer than two heartbeats (15 s each) means a dead connection. */
const SILENCE_MS = 40_000;

/** Events of a response as they come, each with its name as `type`. Raises ApiProblem when it goes silent. */
export async function* serverEvents<T extends { type: string }>(
  response: Response,
  signal: AbortSignal,
): AsyncGenerator<T> {
  if (!response.body) throw new ApiProblem(0, "offline", "The answer has no body.");
  const waiting: T[] = [];
  const parser = createParser({
    onEvent: (message) => waiting.push({ type: message.event, ...JSON.parse(message.data) }),
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    while (!signal.aborted) {
      const { done, value } = await inTime(reader.read());
      if (done) return;
      parser.feed(value);
      yield* waiting.splice(0);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function inTime<T>(reading: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ApiProblem(0, "offline", "The connection went silent.")), SILENCE_MS);
  });
  try {
    return await Promise.race([reading, silence]);
  } finally {
    clearTimeout(timer);
  }
}
