import { type Repository, runProgram } from "./workspace.ts";

const CONFIG = "packages/client/fetch-operations.config.json";

/** An operation that the client has under another name, or not at all, and why. */
export interface ClientException {
  operationId: string;
  reason: string;
}

/**
 * Generates the client. Operations that no client could call, such as a GET with a body, are left out of it; a name that two
 * operations share gets a number. Both are settings of the client's generator.
 */
export function generateClient(
  repository: Repository,
  ids: string[],
): { ok: boolean; output: string; exceptions: ClientException[] } {
  const exceptions: ClientException[] = [];
  for (;;) {
    const program = "packages/fetch-operations/bin/fetch-operations.js";
    const result = runProgram(repository, program, "generate", "--config", CONFIG);
    const found = result.ok ? undefined : refusalIn(result.output, ids);
    const isKnown = exceptions.filter(({ operationId }) => operationId === found?.operationId).length > 1;
    if (found === undefined || isKnown) return { ...result, exceptions };
    exceptions.push(found);
    const config = JSON.parse(repository.read(CONFIG)) as { operations?: Record<string, unknown> };
    const [, name] = / has the name (\w+), like /.exec(found.reason) ?? [];
    const setting = name === undefined ? false : { name: `${name}${exceptions.length + 1}` };
    const operations = { ...config.operations, [found.operationId]: setting };
    repository.write(CONFIG, `${JSON.stringify({ ...config, operations }, null, 2)}\n`);
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
