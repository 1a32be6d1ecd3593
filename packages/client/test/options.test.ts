import { afterEach, describe, expect, test, vi } from "vitest";
import { startService } from "@petstore/server/testing";
import { createPetstore, type Deprecation, type LogLevel, logTo } from "../src/index.ts";
import {
  call,
  connect,
  createPet,
  deprecations,
  getPet,
  hooks,
  listPets,
  retries,
  userAgents,
} from "../src/operations.ts";
import { faulty, KEY } from "./faulty.ts";

const baseUrl = "https://api.petstore.example/v1";

test.each(["", "secret\n", "sec ret", undefined, null, 1])(
  "createPetstore rejects the apiKey %j, without showing it",
  (apiKey) => {
    const message = "apiKey is not an API key. Pass it as issued, without spaces or line breaks.";
    expect(() => createPetstore({ baseUrl, apiKey: apiKey as string })).toThrow(new TypeError(message));
  },
);

describe("createPetstore", () => {
  test.each([baseUrl, `${baseUrl}/`, `${baseUrl}//`])("takes the baseUrl %s", async (given) => {
    const urls: string[] = [];
    const petstore = createPetstore({
      baseUrl: given,
      apiKey: "k",
      fetch: async ({ url }) => (urls.push(url), Response.json([])),
    });
    await petstore.listPets({ limit: 5, status: "sold" });
    expect(urls).toEqual([`${baseUrl}/pets?limit=5&status=sold`]);
  });

  test("sends the key and the headers of a call through the custom fetch", async () => {
    const sent: (string | null)[][] = [];
    const fetch = async ({ headers }: Request) => {
      sent.push([headers.get("Authorization"), headers.get("traceparent")]);
      return Response.json([]);
    };
    await createPetstore({ baseUrl, apiKey: "pst_test_1", fetch }).listPets({}, { headers: { traceparent: "00-1" } });
    expect(sent).toEqual([["Bearer pst_test_1", "00-1"]]);
  });

  test("does not expose its key to inspection", async () => {
    const { inspect } = await import("node:util");
    const petstore = createPetstore({ baseUrl, apiKey: "pst_test_1" });
    expect(inspect(petstore, { depth: 10, showHidden: true }) + JSON.stringify(petstore)).not.toContain("pst_test_1");
  });
});

const valid = { baseUrl, apiKey: "k" };

test.each([
  ["retry", { retry: false as const }, retries],
  ["retryBudget", { retryBudget: 1 }, retries],
  ["onRetry", { onRetry: () => {} }, retries],
  ["onRequest", { onRequest: () => {} }, hooks],
  ["onResponse", { onResponse: () => {} }, hooks],
  ["onDeprecated", { onDeprecated: false as const }, deprecations],
  ["userAgent", { userAgent: false as const }, userAgents],
])("a connection rejects the option %s without the part that reads it", async (name, own, part) => {
  expect(() => connect({ ...valid, ...own })).toThrow(`There is no option ${name}. `);
  expect(() => connect({ ...valid, ...own }, part)).not.toThrow();
});

test("a call without parts has one attempt, no idempotency key, and no User-Agent of the client", async () => {
  const sent: unknown[] = [];
  await using server = await faulty(({ headers }, response) => {
    sent.push([headers["idempotency-key"], headers["user-agent"]]);
    return response.writeHead(503, { "Content-Type": "application/json" }).end('{"code":"c","message":"m"}');
  });
  const connection = connect({ baseUrl: server.baseUrl, apiKey: "k" });
  expect((await call(connection, createPet, { name: "Rex", categoryId: 1 })).status).toBe(503);
  expect(sent).toEqual([[undefined, "node"]]);
  await expect(call(connection, listPets, {}, { retry: false })).rejects.toThrow("There is no option retry. ");
});

test("a call with parts retries, reports and names the client", async () => {
  const sent: unknown[] = [];
  await using server = await faulty(({ headers }, response) => {
    sent.push(headers["user-agent"]);
    return response
      .writeHead(sent.length === 1 ? 503 : 404, { "Content-Type": "application/json" })
      .end('{"code":"c","message":"m"}');
  });
  const found: unknown[] = [];
  const connection = connect(
    {
      baseUrl: server.baseUrl,
      apiKey: "k",
      retry: { baseDelay: 0 },
      onResponse: ({ response }) => void found.push(response.status),
      onDeprecated: ({ operationId }) => found.push(operationId),
    },
    retries,
    hooks,
    deprecations,
    userAgents,
  );
  expect((await call(connection, getPet, { petId: 1 })).status).toBe(404);
  expect(found).toEqual([503, 404, "getPet"]);
  expect(sent).toEqual([1, 2].map(() => expect.stringMatching(/^petstore-client\/\d+\.\d+\.\d+ node\//)));
});

afterEach(() => {
  delete process.env["PETSTORE_LOG"];
});

async function linesOf(level?: LogLevel): Promise<string[]> {
  const lines: string[] = [];
  const write = (message: string) => void lines.push(message);
  let count = 0;
  await using server = await faulty(
    ({ headers }, response) => {
      const isKnown = headers.authorization === `Bearer ${KEY}`;
      const status = count++ === 0 || !isKnown ? 503 : 200;
      return response.writeHead(status, { "Content-Type": "application/json", "X-Key": KEY }).end("[]");
    },
    logTo({ debug: write, info: write, warn: write }, level),
  );
  expect((await server.petstore.listPets({ cursor: "secret" })).ok).toBe(true);
  return lines.map((line) => line.replace(/\d+ ms/, "n ms").replace(server.origin, ""));
}

const retry = "listPets unreadable_answer: attempt 2 in n ms";
const failed = "listPets GET /v1/pets 503 n ms (attempt 1)";
const done = "listPets GET /v1/pets 200 n ms (attempt 2)";

test("the log has the responses and retries of its level, and neither key nor query", async () => {
  expect(await linesOf("debug")).toEqual([failed, retry, done]);
  expect(await linesOf("warn")).toEqual([retry]);
});

test("PETSTORE_LOG sets the level", async () => {
  expect(await linesOf()).toEqual([]);
  process.env["PETSTORE_LOG"] = "info";
  expect(await linesOf()).toEqual([failed, retry]);
});

const deprecation: Deprecation = {
  operationId: "getPet",
  deprecatedAt: new Date("2026-11-21"),
  sunset: new Date("2030-12-05"),
  successor: "listPets",
};

describe("a deprecated operation", () => {
  test("is reported once, for calls by operation and by path, and for every status", async () => {
    await using service = await startService();
    const reported: Deprecation[] = [];
    const petstore = createPetstore({
      baseUrl: service.baseUrl,
      apiKey: service.key,
      onDeprecated: (event) => reported.push(event),
    });
    await petstore.listPets();
    expect(reported).toEqual([]);
    expect((await petstore.getPet({ petId: 1 })).status).toBe(404);
    await petstore.GET("/pets/{petId}", { params: { path: { petId: 1 } } });
    expect(reported).toEqual([deprecation]);
  });
});

describe("without onDeprecated", () => {
  afterEach(() => vi.restoreAllMocks());

  test("the console shows one warning, and none if onDeprecated is false", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    for (const options of [{}, { onDeprecated: false }] as const) {
      const petstore = createPetstore({
        baseUrl: "http://127.0.0.1/v1",
        apiKey: "k",
        fetch: async () => Response.json({}),
        ...options,
      });
      await petstore.getPet({ petId: 1 });
      await petstore.getPet({ petId: 1 });
    }
    expect(warn.mock.calls).toEqual([
      ["petstore: getPet is deprecated and will be removed on 2030-12-05. Use listPets."],
    ]);
  });
});
