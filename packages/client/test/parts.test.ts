import { expect, test } from "vitest";
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
import { faulty } from "./faulty.ts";

const options = { baseUrl: "https://api.petstore.example/v1", apiKey: "k" };

test.each([
  ["retry", { retry: false as const }, retries],
  ["retryBudget", { retryBudget: 1 }, retries],
  ["onRetry", { onRetry: () => {} }, retries],
  ["onRequest", { onRequest: () => {} }, hooks],
  ["onResponse", { onResponse: () => {} }, hooks],
  ["onDeprecated", { onDeprecated: false as const }, deprecations],
  ["userAgent", { userAgent: false as const }, userAgents],
])("a connection rejects the option %s without the part that reads it", async (name, own, part) => {
  expect(() => connect({ ...options, ...own })).toThrow(`There is no option ${name}. `);
  expect(() => connect({ ...options, ...own }, part)).not.toThrow();
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
