import { Agent, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import * as support from "@platform/test-support/program";

/** Returns the path of a program in `programs`. */
export const pathOf = (program: string): string => join(import.meta.dirname, `programs/${program}.ts`);

/** Returns the environment of a program: its settings, and the variables that it needs from this process. */
export const environment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
  SHUTDOWN_DELAY: "0",
  ...env,
});

/** Starts a service of things as a separate program, which ends with the test. */
export function startProgram(env: NodeJS.ProcessEnv, program = "things"): Promise<support.Program> {
  return support.startProgram([process.execPath, pathOf(program)], { env: environment(env) });
}

/**
 * Sends a request, on a new connection if there is no agent: each connection goes to the next worker. Uses Node's own client,
 * because `fetch` would retry a dropped request by itself.
 */
export async function send(
  { baseUrl }: Pick<support.Program, "baseUrl">,
  method: string,
  path: string,
  agent: Agent = new Agent({ keepAlive: false }),
): Promise<{ status: number | undefined; connection: string | undefined }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { Authorization: "Bearer good", "Content-Type": "application/json" };
  request(new URL(path, baseUrl), { method, headers, agent })
    .on("response", resolve)
    .on("error", reject)
    .end(method === "POST" ? '{"name":"cup"}' : undefined);
  const response = await promise;
  await text(response);
  return { status: response.statusCode, connection: response.headers.connection };
}

/** Sends SIGUSR2, and resolves once the reload is over. */
export async function reload(program: support.Program): Promise<void> {
  const before = reloads(program);
  program.child.kill("SIGUSR2");
  await expect.poll(() => reloads(program)).toBe(before + 1);
}

/** Returns how many reloads have succeeded. */
export function reloads({ output }: support.Program): number {
  return output().split('"msg":"reloaded"').length - 1;
}

/** Returns how often the program `faulty` has prepared. */
export function preparations({ output }: support.Program): number {
  return output().split("prepared\n").length - 1;
}
