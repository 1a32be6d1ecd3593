import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { components } from "./operations.ts";

/** The answer to every question, in place of a model. */
export const TOKENS = `A stream sends each part of its answer as soon as that part exists. \
You read the first word while the last one has not been thought of. \
Nothing waits for the whole: the server holds one token at a time, and a slow reader slows the writer down. \
Stop me, and the server stops as well, because your browser closes the connection. \
Continue, and I go on with the next word, because each event has an id and you send the last one that arrived.`.match(
  /\S+\s*/g,
)!;

const STATIONS = ["Aachen", "Bergen", "Cádiz", "Debrecen", "Ennis"];
const BEGIN = Date.UTC(2025, 0, 1);

/** Measurements that are made while they are read. */
export function* measurements(rows: number): Generator<components["schemas"]["Measurement"]> {
  for (let id = 1; id <= rows; id++)
    yield {
      id,
      station: STATIONS[id % STATIONS.length]!,
      time: new Date(BEGIN + id * 60_000).toISOString(),
      celsius: Math.round(Math.sin(id / 1440) * 150) / 10,
    };
}

/** Writes the report: a line for each of so many measurements. */
export async function writeReport(path: string, rows: number): Promise<void> {
  const chunks = function* () {
    let chunk = "";
    for (const { id, station, time, celsius } of measurements(rows)) {
      chunk += `${String(id).padStart(7)}  ${time}  ${station.padEnd(9)} ${celsius} °C\n`;
      if (chunk.length < 65_536 && id < rows) continue;
      yield chunk;
      chunk = "";
    }
  };
  await pipeline(Readable.from(chunks()), createWriteStream(path));
}
