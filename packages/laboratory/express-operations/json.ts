import { parseJson } from "../../../packages/express-operations/src/request/json.ts";

const READINGS = 2_000;

/** How long it takes to read a JSON text: as `JSON.stringify` writes it, and with white space, which is read by character. */
export interface JsonTimes {
  bytes: number;
  /** Microseconds, by round. */
  written: number[];
  /** Microseconds, by round. */
  spaced: number[];
}

/** Reads an order of so many lines. */
export function jsonTimes(lines: number, rounds: number): JsonTimes {
  const text = JSON.stringify({
    customer: "Rex & Sons",
    lines: Array.from({ length: lines }, (_, at) => ({ id: at, name: `article ${at}`, tags: ["a", "b"], price: 1.5 })),
  });
  const times: JsonTimes = { bytes: text.length, written: [], spaced: [] };
  for (let round = -1; round < rounds; round++) {
    const [written, spaced] = [microseconds(text), microseconds(` ${text}`)];
    if (round < 0) continue; // V8 compiles
    times.written.push(written);
    times.spaced.push(spaced);
  }
  return times;
}

function microseconds(text: string): number {
  const bytes = Buffer.from(text);
  const started = performance.now();
  for (let reading = 0; reading < READINGS; reading++) parseJson(bytes.toString("latin1")); // each time another string
  return ((performance.now() - started) / READINGS) * 1_000;
}
