import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SERVICE } from "@openapi-operations/command-line/name";
import { createLogger } from "@openapi-operations/service/request-log";
import type { Service } from "@openapi-operations/service/serving";
import { startService as serve } from "@openapi-operations/service/start-service";
import { json, type Line } from "@openapi-operations/service/testing";
import { newDatabase } from "@openapi-operations/storage/testing";
import * as support from "@platform/test-support/program";
import { expect } from "vitest";
import { readConfig } from "./config.ts";
import { prepare, type Probes, type Thing, thingsService } from "./things.ts";

/** A whole service in this process over its own database, and its quickstart key. */
export interface TestService extends Service, AsyncDisposable {
  databaseUrl: string;
  key: string;
  /** Requests a path below the base URL. `key` defaults to the quickstart key; null sends none. */
  request: (path: string, init?: RequestInit & { key?: string | null }) => Promise<Response>;
  /** Adds a thing and returns the response's body. */
  add: (name?: string) => Promise<Thing>;
  /** The lines logged until now. */
  lines: () => Line[];
}

/** Starts a whole service in this process, over a new database unless `env` names another. */
export async function startService(env: NodeJS.ProcessEnv = {}, probes: Probes = {}): Promise<TestService> {
  const folder = await mkdtemp(join(tmpdir(), `${SERVICE.name}-`));
  const database = await newDatabase();
  const databaseUrl = env["DATABASE_URL"] ?? database.url;
  const quickstartFile = join(folder, "quickstart.key");
  const settings = readConfig({ DATABASE_URL: databaseUrl, PORT: "0", SHUTDOWN_DELAY: "0", ...env });
  const config = { ...settings, quickstartFile };
  await prepare(config);
  const written: string[] = [];
  const logger = createLogger(config.logLevel, { write: (line) => void written.push(line) });
  const service = await serve(thingsService(config, probes), logger);
  const key = (await readFile(quickstartFile, "utf8").catch(() => "")).trim();
  const request: TestService["request"] = (path, { key: other = key, ...init } = {}) => {
    const headers = new Headers(init.headers);
    if (other !== null && !headers.has("Authorization")) headers.set("Authorization", `Bearer ${other}`);
    return fetch(service.baseUrl + path, { ...init, headers });
  };
  return {
    ...service,
    databaseUrl,
    key,
    request,
    add: async (name = "cup") => {
      const response = await request("/things", creation(name));
      expect(response.status).toBe(201);
      return (await response.json()) as Thing;
    },
    lines: () => written.map((line) => JSON.parse(line) as Line),
    [Symbol.asyncDispose]: async () => {
      await service.close();
      await database.drop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Returns the options of a request that adds a thing. */
export function creation(name = "cup", headers: Record<string, string> = {}): RequestInit {
  return json({ name }, headers);
}

/** Expects an error body with this status and code, and returns its message. */
export async function expectError(response: Response, status: number, code: string): Promise<string> {
  const body = (await response.json()) as { message: string };
  const message = expect.any(String) as string;
  expect({ httpStatus: response.status, ...body }).toEqual({ httpStatus: status, status, code, message });
  return body.message;
}

/** Returns the path of a program in `programs`. */
export const pathOf = (program: string): string => join(import.meta.dirname, `programs/${program}.ts`);

const ENVIRONMENT = { PATH: process.env["PATH"], NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };

/** The whole service in a process of its own. */
export interface Program extends support.Program {
  /** The quickstart key of its folder, in development. */
  key: string | undefined;
}

/** Starts the whole service as a program, with its database in a folder. It ends with the test. */
export async function startProgram(
  folder: string,
  env: NodeJS.ProcessEnv = {},
  runner: string[] = [],
): Promise<Program> {
  const [command, ...words] = [...runner, process.execPath, pathOf("things"), "serve"];
  const started = await support.startProgram([command, ...words], {
    cwd: folder,
    env: { ...ENVIRONMENT, PORT: "0", SHUTDOWN_DELAY: "0", ...env },
  });
  const key = await readFile(join(folder, "data/quickstart.key"), "utf8").catch(() => undefined);
  return { ...started, key: key?.trim() };
}

/** Progress, which a command on a busy machine prints after a second. */
const PROGRESS = /^(Applying|Checking|Committing|Comparing|Copying|Counting|Examining|Reading|Syncing) .*\n/gm;

/** Runs a command of the program to its end. Returns what it printed, but for its progress. */
export function run(
  words: string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolved) => {
    const child = execFile(
      process.execPath,
      [pathOf("things"), ...words],
      { env: { ...ENVIRONMENT, ...env }, timeout: 120_000 },
      (_, stdout, stderr) => resolved({ code: child.exitCode ?? -1, stdout, stderr: stderr.replaceAll(PROGRESS, "") }),
    );
  });
}
