import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** An operation that the client has under another name, or not at all, and why. */
export interface ClientException {
  operationId: string;
  reason: string;
}

/** Generates types and data from the contract of a folder. Throws with the output of the generator if it fails. */
export function generateContract(folder: string): void {
  const build = import.meta.resolve("@openapi-operations/contract-tools/build");
  const { status, output } = run(folder, new URL(`../contract${extname(build)}`, build), "generate");
  if (status !== 0) throw new Error(`Types cannot be generated from the contract.\n${output}`);
}

/**
 * Generates the client. Operations that no client could call, such as a GET with a body, are left out of it; a name that two
 * operations share gets a number. Both are settings of the client's generator.
 */
export function generateClient(folder: string, ids: string[]): ClientException[] {
  const config = join(folder, "packages/client/fetch-operations.config.json");
  const bin = new URL("../../bin/fetch-operations.js", import.meta.resolve("fetch-operations/generate"));
  const exceptions: ClientException[] = [];
  for (;;) {
    const { status, output } = run(folder, bin, "generate", "--config", config);
    if (status === 0) return exceptions;
    const found = refusalIn(output, ids);
    const isKnown = exceptions.filter(({ operationId }) => operationId === found?.operationId).length > 1;
    if (found === undefined || isKnown) throw new Error(`The client cannot be generated.\n${output}`);
    exceptions.push(found);
    const settings = JSON.parse(readFileSync(config, "utf8")) as { operations?: Record<string, unknown> };
    const [, name] = / has the name (\w+), like /.exec(found.reason) ?? [];
    const setting = name === undefined ? false : { name: `${name}${exceptions.length + 1}` };
    const operations = { ...settings.operations, [found.operationId]: setting };
    writeFileSync(config, `${JSON.stringify({ ...settings, operations }, null, 2)}\n`);
  }
}

/** Returns the operation that the generator's message names. */
function refusalIn(output: string, ids: string[]): ClientException | undefined {
  const line = output.split("\n").find((each) => ids.some((id) => each.includes(`: ${id} `)));
  const operationId = ids
    .filter((id) => line?.includes(`: ${id} `))
    .toSorted((one, other) => other.length - one.length)[0];
  if (line === undefined || operationId === undefined) return undefined;
  return { operationId, reason: line.slice(line.indexOf(`: ${operationId} `) + 2).trim() };
}

function run(cwd: string, program: URL, ...words: string[]): { status: number | null; output: string } {
  const args = [fileURLToPath(program), ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: "utf8", maxBuffer: 2 ** 28 });
  return { status, output: stdout + stderr };
}
