#!/usr/bin/env node
/** `pnpm mock`: serves the contract from its examples, so that clients can be tried without the service. */
import { once } from "node:events";
import { watch } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { createProgram, runProgram, scriptCommand, wholeNumber } from "@openapi-operations/command-line";
import { basePathOf, type Bundle, bundleWithFiles, CONTRACT_FILE } from "openapi-contract/bundle";
import { curlExamples } from "../generate/curl-examples.ts";
import type { OperationEntry } from "openapi-document";
import { type Conditions, parseFaults, parseLatency } from "./conditions.ts";
import { createMock } from "./mock.ts";

let app: RequestListener;

interface Options extends Conditions {
  allowRemoteRefs?: true;
  host: string;
  port: number;
}

const program = createProgram("mock", {
  description: "Serves a contract from its examples.",
  folder: import.meta.dirname,
  examples: ["mock", "mock ../museum.yaml --port 4011 --latency 100-800 --faults 10%:429"].map(scriptCommand),
})
  .argument("[contract]", "an OpenAPI 3 document (default: openapi/openapi.yaml)")
  .option("--host <host>", "the address to listen on", "127.0.0.1")
  .option("--port <port>", "the port; 0 picks a free one", wholeNumber(), 4010)
  .option("--latency <ms>", "the time before each response, such as 200 or 100-800", parseLatency)
  .option(
    "--faults <share>",
    "the share of requests that fail, such as 10%, or 10%:429 for another status than 503",
    parseFaults,
  )
  .option("--allow-remote-refs", "read the files of other hosts that the contract refers to")
  .option("--seed <number>", "the seed of latency and faults", wholeNumber(), 1)
  .action(serve);

await runProgram(program);

async function serve(contract = CONTRACT_FILE, options: Options): Promise<void> {
  const { host, port } = options;
  const { document, files } = await load(contract, options);
  const server = createServer((request, response) => app(request, response)).listen(port, host);
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EADDRINUSE" ? new Error(`${error.message}. Choose another port with --port.`) : error;
  });
  const address = server.address() as AddressInfo;
  watchFiles(files, async () => {
    try {
      const changed = await load(contract, options);
      console.log("The contract has changed, and the mock now serves the new version.");
      return changed.files; // it may refer to other files now
    } catch (error) {
      console.error(
        `The contract has changed and cannot be served. The mock serves it as before. ${(error as Error).message}`,
      );
      return undefined;
    }
  });
  console.log(greeting(document, `http://${host}:${address.port}${basePathOf(document)}`));
}

/**
 * Reads the contract and serves it from now on, without the items that clients have created. A contract that cannot be served
 * leaves the mock as it is.
 */
async function load(contract: string, { allowRemoteRefs, ...conditions }: Options): Promise<Bundle> {
  const bundled = await bundleWithFiles(contract, { allowRemoteRefs });
  app = createMock({ document: bundled.document, conditions, log: console.log });
  return bundled;
}

/** Files saved within this time of each other count as one change, in milliseconds. */
const SETTLE_MS = 100;

/** Calls `reload` after each change to one of the files, once at a time, and then watches the files that it resolves to. */
function watchFiles(files: string[], reload: () => Promise<string[] | undefined>): void {
  let watched = new Set<string>();
  const folders = new Set<string>(); // editors replace a file when they save it
  let timer: NodeJS.Timeout | undefined;
  let reloaded = Promise.resolve();
  follow(files);

  function follow(own = [...watched]): void {
    watched = new Set(own);
    for (const folder of own.map((file) => dirname(file))) {
      if (folders.has(folder)) continue;
      folders.add(folder);
      watch(folder, (_event, name) => {
        if (name !== null && !watched.has(join(folder, name))) return;
        clearTimeout(timer);
        timer = setTimeout(() => void (reloaded = reloaded.then(reload).then(follow).catch(console.error)), SETTLE_MS);
      });
    }
  }
}

function greeting(document: Bundle["document"], baseUrl: string): string {
  const examples = curlExamples(document);
  const curls = examples.map(({ curl }) =>
    curl.replaceAll("{key}", "any-key").replaceAll("$TOKEN", "any-token").replace("{url}", baseUrl),
  );
  const [first] = curls;
  const preferring = (preference: string) => `  ${first!.replace("curl -i", `curl -i -H 'Prefer: ${preference}'`)}`;
  const failure = examples[0] && declaredFailure(examples[0].entry);
  return [
    `The mock is listening on ${baseUrl}`,
    "",
    "It accepts any credentials, responds with the examples of the contract, and stores the data it receives until it stops:",
    ...curls.map((curl) => `  ${curl}`),
    ...(first === undefined
      ? []
      : [
          "",
          "`Prefer` chooses the response by its status, by the name of its example, or makes one from the schema:",
          ...(failure === undefined ? [] : [preferring(`code=${failure}`)]),
          preferring("dynamic=true, seed=1"),
        ]),
    "",
    "A change of the contract is served at once. Ctrl+C stops the mock.",
    "",
  ].join("\n");
}

/** Returns a status of a client error that an operation declares: 404, or else the first one. */
function declaredFailure({ operation }: OperationEntry): string | undefined {
  const failures = Object.keys(operation.responses ?? {}).filter((status) => /^4\d\d$/.test(status));
  return failures.find((status) => status === "404") ?? failures[0];
}
