import { ratioOf, show, type Spread, spreadOf } from "../measuring/figures.ts";
import { installPeers } from "../measuring/install.ts";
import { createProgram, wholeNumber, withProgress } from "@openapi-operations/command-line";
import { canPin, Process } from "../measuring/process.ts";
import { operationsOf } from "openapi-document";
import { parseJson } from "../../../packages/express-operations/src/request/json.ts";
import type { contenders } from "./contenders.ts";
import { type DocumentName, documentNamed } from "./documents.ts";
import { printForms } from "./forms.ts";
import { type Rates, throughput } from "./throughput.ts";
import { printTypes } from "./types.ts";

const program = createProgram("bench express-operations", {
  description: "Measures requests, starts, memory, types, forms and JSON, beside other libraries.",
  folder: import.meta.dirname,
}).option("--rounds <n>", "the number of rounds", wholeNumber(1), 9);
const { rounds: ROUNDS } = program.parse().opts<{ rounds: number }>();

const REQUEST = "GET /users/octocat/keys?per_page=10 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
const RESPONSE = /^HTTP\/1\.1 200 [^]*\[\{"id":10,"key":"ssh-ed25519 \S+ octocat"\},/;

type Contender = keyof typeof contenders;

/** Compared contenders stand side by side, so that they share what disturbs the machine for a while. */
const LINEUP: [Contender, DocumentName][] = [
  ["ours", "github"],
  ["ours", "3"],
  ["eov", "3"],
  ["ours", "1000"],
  ["eov", "1000"],
];

/** The rates of one contender with one document. */
type Series = Rates & { contender: Contender; document: DocumentName };

const SERVER = new URL("server.ts", import.meta.url);
const READINGS = 2_000;
/** How many operations of GitHub's document are used to measure their memory. */
const USED = 100;
const paths = operationsOf(documentNamed("github"))
  .filter(({ method }) => method === "get")
  .map(({ path }) => path.replaceAll(/\{[^}]+\}/g, "1"));

console.log(canPin ? "Servers on core 0, load on core 1." : "Processes are not pinned: ratios are rough.");
const series = await measureOperations(ROUNDS);
type Rate = "perSecond" | "perCpuSecond";
const of = (contender: Contender, document: DocumentName, rate: Rate) =>
  series.find((one) => one.contender === contender && one.document === document)![rate];

console.log("\nGoals for requests of one operation, by time on the clock and by CPU time of the server");
const goal = (atLeast: number, ratio: (rate: Rate) => Spread) => ({
  goal: `≥ ${atLeast}`,
  clock: show(ratio("perSecond")),
  CPU: show(ratio("perCpuSecond")),
});
console.table({
  "ours, GitHub's document to 3 operations": goal(0.95, (rate) =>
    ratioOf(of("ours", "github", rate), of("ours", "3", rate)),
  ),
  "ours to plain EOV, 3 operations": goal(2, (rate) => ratioOf(of("ours", "3", rate), of("eov", "3", rate))),
  "ours to plain EOV, 1000 operations": goal(5, (rate) => ratioOf(of("ours", "1000", rate), of("eov", "1000", rate))),
});

await installPeers();
/** Who serves GitHub's document. */
const SERVING: Contender[] = ["ours", "ours, warm", "openapi-backend", "eov"];
const large = await withProgress(async (report) => {
  const rows: Record<string, object> = {};
  for (const contender of SERVING) {
    report(`Serving GitHub's document by ${contender}`);
    rows[contender] = await servingOf(contender, 5);
  }
  return rows;
});
console.log(
  `\nGitHub's document of 1,223 operations, of which ${USED} are used. Goals: start ≤ 1.5 s, 100 kB for an operation`,
);
console.table(large);

printTypes(5);

console.log(`\nMicroseconds to read JSON: median of ${ROUNDS} rounds (lowest–highest)`);
console.table(
  [0, 1, 40].map((lines) => {
    const { bytes, written, spaced } = jsonTimes(lines, ROUNDS);
    return {
      bytes,
      "as JSON.stringify writes it": show(spreadOf(written)),
      "with white space": show(spreadOf(spaced)),
      "spaced to written": show(ratioOf(spaced, written)),
    };
  }),
);

await printForms(ROUNDS);

/** Measures one operation of documents with 3, 1,000 and 1,223 operations. */
async function measureOperations(rounds: number): Promise<Series[]> {
  const entrants = LINEUP.map((args) => ({ module: SERVER, args, request: REQUEST, response: RESPONSE }));
  const rates = await throughput(entrants, rounds);
  return LINEUP.map(([contender, document], at) => ({ contender, document, ...rates[at]! }));
}

/** Starts a process some times that serves GitHub's document. The last one gets requests of `USED` operations. */
async function servingOf(contender: Contender, starts: number): Promise<Record<string, string>> {
  const seconds: number[] = [];
  for (let start = 1; ; start++) {
    const started = performance.now();
    using server = new Process(undefined, SERVER, [contender, "github"]);
    const url = `http://127.0.0.1:${await server.next<number>()}`;
    const response = await fetch(`${url}/users/octocat/keys?per_page=10`);
    await response.text();
    if (response.status !== 200) return { "start to first response, s": `does not serve it (${response.status})` };
    seconds.push((performance.now() - started) / 1000);
    if (start < starts) continue;
    const before = await server.ask<number>("heap in MB");
    for (const path of paths.slice(0, USED)) await (await fetch(url + path)).text();
    const after = await server.ask<number>("heap in MB");
    return {
      "start to first response, s": show(spreadOf(seconds)),
      "heap at start, MB": before.toFixed(1),
      "heap for an operation used, kB": ((1000 * (after - before)) / USED).toFixed(0),
      "resident memory, MB": (await server.ask<number>("memory in MB")).toFixed(0),
    };
  }
}

/**
 * Returns how long it takes to read an order of so many lines, in microseconds by round: as `JSON.stringify` writes it, and with
 * white space, which is read by character.
 */
function jsonTimes(lines: number, rounds: number) {
  const text = JSON.stringify({
    customer: "Rex & Sons",
    lines: Array.from({ length: lines }, (_, at) => ({ id: at, name: `article ${at}`, tags: ["a", "b"], price: 1.5 })),
  });
  const times = { bytes: text.length, written: [] as number[], spaced: [] as number[] };
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
