import { document } from "@petstore/contract/document";
import { type OpenApiDocument, operationsOf, resolve, type ResponseObject, responseKey } from "openapi-document";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { json, startService, type TestService } from "../testing/service.ts";

const contract = document as OpenApiDocument;
const entries = operationsOf(contract);

/** The headers that the contract declares anywhere, in lower case: each has to be declared wherever it is sent. */
const DECLARED = new Set(
  entries.flatMap(({ id, operation }) =>
    Object.keys(operation.responses ?? {}).flatMap((status) => [...headersOf(id, Number(status))]),
  ),
);

/** The headers that an operation declares for a status, in lower case. */
function headersOf(id: string, status: number): Set<string> {
  const entry = entries.find((candidate) => candidate.id === id)!;
  const key = responseKey(entry, status);
  const { headers = {} } = resolve<ResponseObject>(contract, entry.operation.responses![key!]!);
  return new Set(Object.keys(headers).map((name) => name.toLowerCase()));
}

describe("a response has no contract header that its operation and status do not declare", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT: "9/60", AUTH_FAILURE_LIMIT: "1/60" });
    await service.request("/pets", json({ name: "Rex", categoryId: 1 }, { "Idempotency-Key": "k" }));
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const repeated = (name: string) => json({ name, categoryId: 1 }, { "Idempotency-Key": "k" });
  test.each<[string, number, string, (RequestInit & { key?: string })?]>([
    ["listPets", 200, "/pets?limit=1"],
    ["listPets", 304, "/pets", { headers: { "If-None-Match": "*" } }],
    ["listPets", 400, "/pets?limit=0"],
    ["getPet", 200, "/pets/1"],
    ["getPet", 304, "/pets/1", { headers: { "If-None-Match": "*" } }],
    ["getPet", 404, "/pets/4711"],
    ["createPet", 201, "/pets", repeated("Rex")],
    ["createPet", 422, "/pets", repeated("Mia")],
    ["getPet", 429, "/pets/1"],
    ["createPet", 429, "/pets", repeated("Rex")],
    ["getPet", 401, "/pets/1", { key: "wrong" }],
    ["listPets", 429, "/pets", { key: "wrong" }],
  ])("%s %d", async (id, status, path, init) => {
    const response = await service.request(path, init);
    expect(response.status).toBe(status);
    const sent = [...response.headers.keys()].filter((name) => DECLARED.has(name));
    const declared = headersOf(id, status);
    expect(sent.filter((name) => !declared.has(name))).toEqual([]);
    expect(sent).toEqual(expect.arrayContaining(["x-request-id", "ratelimit", "ratelimit-policy"]));
  });
});
