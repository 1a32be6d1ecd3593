import type { OperationId } from "@petstore/contract";
import { document } from "@petstore/contract/document";
import { createApiKey } from "@platform/api-keys/keys.repository";
import { ERRORS, type ErrorCode } from "@platform/service/errors";
import { openDatabase } from "@platform/storage/database";
import { type OpenApiDocument, operationsOf, resolve, type ResponseObject } from "openapi-document";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { json, startService, type TestService } from "../testing/service.ts";

type Refused = [path: string, init?: RequestInit];

const valid = { name: "Rex", categoryId: 1 };

/** The rejected request for each error example, by operation and name of the example. */
const REFUSED: Partial<Record<OperationId, Record<string, Refused>>> = {
  listPets: {
    limit: ["/pets?limit=101"],
    status: ["/pets?status=lost"],
    unknownParameter: ["/pets?stat=sold"],
    repeatedParameter: ["/pets?limit=1&limit=2"],
    cursor: ["/pets?cursor=abc"],
    notAcceptable: ["/pets", { headers: { Accept: "text/html" } }],
  },
  createPet: {
    missingField: ["/pets", json({ name: "Rex" })],
    unknownField: ["/pets", json({ ...valid, colour: "brown" })],
    emptyName: ["/pets", json({ ...valid, name: "" })],
    controlCharacter: ["/pets", json({ ...valid, name: "Rex\n" })],
    repeatedField: ["/pets", json('{"name":"Rex","name":"Mia","categoryId":1}')],
    inexactNumber: ["/pets", json('{"name":"Rex","categoryId":9007199254740993}')],
    wrongType: ["/pets", json({ ...valid, categoryId: "one" })],
    notJson: ["/pets", json("{")],
    idempotencyKey: ["/pets", json(valid, { "Idempotency-Key": "two words" })],
    conditional: ["/pets", json(valid, { "If-None-Match": "*" })],
    tooLarge: ["/pets", json({ ...valid, name: "x".repeat(65_536) })],
    compressed: ["/pets", json(valid, { "Content-Encoding": "gzip" })],
    mediaType: ["/pets", { ...json(valid), headers: { "Content-Type": "text/plain" } }],
    notAcceptable: ["/pets", json(valid, { Accept: "text/html" })],
  },
  getPet: {
    petId: ["/pets/one"],
    notFound: ["/pets/4711"],
    notAcceptable: ["/pets/4711", { headers: { Accept: "text/html" } }],
  },
};

/** The examples whose cause is not the request. They have the messages of their codes. */
const OTHERWISE = new Set([
  "unauthorized",
  "forbiddenToRead",
  "forbiddenToWrite",
  "inProgress",
  "reused",
  "rateLimited",
  "unavailable",
  "internalError",
]);

/** Returns the error examples of an operation in the contract, as `name → body`. */
function examplesOf(id: string): Map<string, { code: string; message: string; status: number }> {
  const contract = document as OpenApiDocument;
  const { operation } = operationsOf(contract).find((entry) => entry.id === id)!;
  const refusals = Object.entries(operation.responses ?? {}).filter(([status]) => !/^[23]/.test(status));
  return new Map(
    refusals.flatMap(([, node]) => {
      const { content = {} } = resolve<ResponseObject>(contract, node);
      const media = content["application/json"];
      return Object.entries(media?.examples ?? {}).map(([name, { value }]) => [name, value as never] as const);
    }),
  );
}

describe.each(Object.entries(REFUSED))("%s", (id, refused) => {
  let service: TestService;
  beforeAll(async () => void (service = await startService()));
  afterAll(() => service[Symbol.asyncDispose]());

  test("has an example in the contract for each kind of rejection", () => {
    const named = [...examplesOf(id).keys()].filter((name) => !OTHERWISE.has(name));
    expect(named.toSorted()).toEqual(Object.keys(refused).toSorted());
  });

  test.each(Object.entries(refused))("is rejected as in the contract's example %s", async (name, [path, init]) => {
    const response = await service.request(path, init);
    expect(await response.json()).toEqual(examplesOf(id).get(name));
  });

  test("has examples of other causes with the messages of their codes", () => {
    for (const [name, { code, message, status }] of examplesOf(id)) {
      if (!OTHERWISE.has(name) || name.startsWith("forbidden")) continue;
      expect({ name, message, status }).toEqual({ name, ...ERRORS[code as ErrorCode] });
    }
  });
});

test("a key without the scope is rejected as in the contract's examples", async () => {
  await using service = await startService();
  const db = openDatabase(service.databaseUrl);
  const { key } = await createApiKey(db, { name: "neither", environment: "development", scopes: [] });
  await db.destroy();
  for (const [id, path, init, example] of [
    ["listPets", "/pets", {}, "forbiddenToRead"],
    ["getPet", "/pets/1", {}, "forbiddenToRead"],
    ["createPet", "/pets", json(valid), "forbiddenToWrite"],
  ] as const) {
    const response = await service.request(path, { ...init, key });
    expect(await response.json()).toEqual(examplesOf(id).get(example));
  }
});
