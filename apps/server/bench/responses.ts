import { isDeepStrictEqual } from "node:util";
import type { Work } from "./works.ts";

/** A server that can be asked: its name among the others, its port, and a key that it knows. */
export interface Server {
  label: string;
  port: number;
  key: string;
}

interface ErrorBody {
  message?: unknown;
}

/**
 * Asks every server for the same works, and rejects when one answers with another status or body than the first. The message of
 * a refusal may differ: each validator has words of its own.
 */
export async function compareResponses(servers: Server[], works: Work[]): Promise<void> {
  for (const work of works) {
    let expected: { label: string; answer: object } | undefined;
    for (const server of servers) {
      const answer = await ask(server, work);
      expected ??= { label: server.label, answer };
      if (isDeepStrictEqual(answer, expected.answer)) continue;
      const [given, other] = [answer, expected.answer].map((value) => JSON.stringify(value).slice(0, 400));
      throw new Error(
        `${work.method} ${work.path}: ${server.label} answers ${given}, ${expected.label} ${other}. Nothing is measured.`,
      );
    }
  }
}

async function ask({ port, key }: Server, work: Work): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`http://127.0.0.1:${port}${work.path}`, {
    method: work.method,
    headers: { Authorization: `Bearer ${work.key ?? key}`, "Content-Type": "application/json" },
    ...(work.body !== undefined && { body: JSON.stringify(work.body) }),
  });
  const { status } = response;
  const body: unknown = await response.json();
  return { status, body: status < 400 ? body : { ...(body as object), message: typeof (body as ErrorBody).message } };
}
