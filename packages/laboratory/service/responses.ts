import { isDeepStrictEqual } from "node:util";
import type { Work } from "./works.ts";

/** A server under test: its label, its port and a valid API key. */
export interface Server {
  label: string;
  port: number;
  key: string;
}

/**
 * Sends the same requests to every server. Rejects if a response has another status or body than that of the first server.
 * Error messages may differ, because each validator has its own.
 */
export async function compareResponses(servers: Server[], works: Work[]): Promise<void> {
  for (const work of works) {
    let expected: { label: string; response: object } | undefined;
    for (const server of servers) {
      const response = await ask(server, work);
      expected ??= { label: server.label, response };
      if (isDeepStrictEqual(response, expected.response)) continue;
      const [given, other] = [response, expected.response].map((value) => JSON.stringify(value).slice(0, 400));
      throw new Error(
        `${work.method} ${work.path}: ${server.label} responds with ${given}, but ${expected.label} with ${other}. Nothing is measured.`,
      );
    }
  }
}

async function ask({ port, key }: Server, work: Work): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`http://127.0.0.1:${port}${work.path}`, {
    method: work.method,
    headers: {
      Authorization: `Bearer ${work.key ?? key}`,
      "Content-Type": "application/json",
      ...(work.idempotencyKey && { "Idempotency-Key": work.idempotencyKey }),
    },
    ...(work.body !== undefined && { body: JSON.stringify(work.body) }),
  });
  const { status } = response;
  const body: unknown = await response.json();
  return {
    status,
    body: status < 400 ? body : { ...(body as object), message: typeof (body as { message?: unknown }).message },
  };
}
