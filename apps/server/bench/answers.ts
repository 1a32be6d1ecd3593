import { isDeepStrictEqual } from "node:util";
import type { Lane } from "./rounds.ts";
import type { Work } from "./works.ts";

interface Refusal {
  message?: unknown;
}

/**
 * Asks every lane for the same works, and rejects when one answers with another status or body than the first. The message of a
 * refusal may differ: each validator has words of its own.
 */
export async function compareAnswers(lanes: Lane[], works: Work[]): Promise<void> {
  for (const work of works) {
    let expected: { label: string; answer: object } | undefined;
    for (const lane of lanes) {
      const answer = await ask(lane, work);
      expected ??= { label: lane.label, answer };
      if (isDeepStrictEqual(answer, expected.answer)) continue;
      const [given, other] = [answer, expected.answer].map((value) => JSON.stringify(value).slice(0, 400));
      throw new Error(
        `${work.method} ${work.path}: ${lane.label} answers ${given}, ${expected.label} ${other}. Nothing is measured.`,
      );
    }
  }
}

async function ask({ port, key }: Lane, work: Work): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`http://127.0.0.1:${port}${work.path}`, {
    method: work.method,
    headers: { Authorization: `Bearer ${work.key ?? key}`, "Content-Type": "application/json" },
    ...(work.body !== undefined && { body: JSON.stringify(work.body) }),
  });
  const { status } = response;
  const body: unknown = await response.json();
  return { status, body: status < 400 ? body : { ...(body as object), message: typeof (body as Refusal).message } };
}
