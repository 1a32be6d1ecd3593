import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pet } from "@petstore/contract";
import { newDatabase } from "@platform/test-support/temporary";
import { pino } from "pino";
import { expect } from "vitest";
import { type Config, readConfig } from "../src/config.ts";
import { prepare } from "../src/database.ts";
import { start } from "../src/server.ts";
import type { startService as StartService, TestService } from "./testing.ts";

export type { TestService };

/** Something that requests pass on their way to a service. */
type Proxy = (origin: string) => Promise<{ origin: string; end: () => Promise<void> }>;

let proxyBefore: Proxy | undefined;

/** Puts a proxy before each service that is started from now on. */
export function startBehind(proxy: Proxy | undefined): void {
  proxyBefore = proxy;
}

/** Starts the real service on a free port, over a new database unless `env` names another. */
export const startService: typeof StartService = async (env = {}) => {
  const directory = await mkdtemp(join(tmpdir(), "petstore-"));
  const database = await newDatabase();
  const quickstartFile = join(directory, "quickstart.key");
  const config: Config = { ...readConfig({ DATABASE_URL: database.url, PORT: "0", ...env }), quickstartFile };
  await prepare(config);
  const service = await start(config, pino({ level: "silent" }));
  const key = (await readFile(quickstartFile, "utf8")).trim();
  const { origin, pathname } = new URL(service.baseUrl);
  const proxy = await proxyBefore?.(origin);
  const baseUrl = (proxy?.origin ?? origin) + pathname;

  const request: TestService["request"] = async (path, { key: other, ...init } = {}) => {
    const headers = new Headers(init.headers);
    const sent = other === undefined ? key : other;
    if (sent !== null && !headers.has("Authorization")) headers.set("Authorization", `Bearer ${sent}`);
    const response = await fetch(baseUrl + path, { ...init, headers });
    await expectWellFormed(response.clone(), init.method);
    return response;
  };

  return {
    baseUrl,
    metricsUrl: service.metricsUrl,
    databaseUrl: config.databaseUrl,
    key,
    request,
    addPet: async (pet = { name: "Rex", categoryId: 1 }) => {
      const response = await request("/pets", json(pet));
      expect(response.status).toBe(201);
      return (await response.json()) as Pet;
    },
    [Symbol.asyncDispose]: async () => {
      await proxy?.end();
      await service.close();
      await database.drop();
      await rm(directory, { recursive: true });
    },
  };
};

/** A POST of a value as JSON; a string is sent as it stands. */
export function json(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
}

/** Expects an Error body with this status and code, and gives its message. */
export async function expectError(response: Response, status: number, code: string): Promise<string> {
  const body = (await response.json()) as { message: string };
  expect({ httpStatus: response.status, ...body }).toEqual({
    httpStatus: status,
    status,
    code,
    message: expect.any(String),
  });
  return body.message;
}

/** The form of every response: JSON throughout, and outside 2xx and 304 exactly an Error whose status is the response's. */
async function expectWellFormed(response: Response, method = "GET"): Promise<void> {
  if (method === "HEAD" || response.status === 204 || response.status === 304) {
    expect(await response.text()).toBe("");
    return;
  }
  expect(response.headers.get("Content-Type")).toBe("application/json");
  const body: unknown = await response.json();
  if (response.ok) return;
  expect(body).toEqual({
    code: expect.stringMatching(/^[a-z_]+$/),
    message: expect.any(String),
    status: response.status,
  });
}
