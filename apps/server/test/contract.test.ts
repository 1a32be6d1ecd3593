import { type operations, scopes } from "@petstore/contract";
import { changelog } from "@petstore/contract/changelog";
import { codeSamples } from "@petstore/contract/code-samples";
import { document } from "@petstore/contract/document";
import { keyUses } from "@openapi-operations/api-keys/authentication";
import { createApiKey } from "@openapi-operations/api-keys/keys.repository";
import { type ErrorCode, ERRORS } from "@openapi-operations/service/errors";
import { listen } from "@openapi-operations/service/listener";
import { openDatabase } from "@openapi-operations/storage/database";
import { type OpenApiDocument, operationsOf, resolve, responseKey, type ResponseObject } from "openapi-document";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { parse } from "yaml";
import { createApp } from "../src/app.ts";
import { readConfig } from "../src/config.ts";
import { insertPet } from "../src/resources/pets/pets.repository.ts";
import { json, startService, type TestService } from "./petstore.ts";
import { temporaryStorage } from "./temporary.ts";

describe("the published contract", () => {
  let service: TestService;
  beforeAll(async () => void (service = await startService()));
  afterAll(() => service[Symbol.asyncDispose]());

  const get = (path: string, init?: RequestInit) => fetch(new URL(path, service.baseUrl), init);

  describe.each([
    ["/openapi.json", "application/json", (text: string): unknown => JSON.parse(text)],
    ["/openapi.yaml", "application/yaml", (text: string): unknown => parse(text)],
  ] as const)("%s", (path, type, read) => {
    test("returns the contract without a key, to pages of any origin", async () => {
      const response = await get(path, { headers: { Origin: "https://elsewhere.example" } });
      expect(response.headers.get("Content-Type")).toBe(type);
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
      const { servers, ...served } = read(await response.text()) as typeof document;
      expect({ ...served, servers: servers.slice(1) }).toEqual(document);
    });
  });

  test("the page's document has code samples and the changelog in addition, and the published contract does not", async () => {
    const { paths, info, ...rest } = (await (await get("/docs/openapi.json")).json()) as typeof document;
    const [line, ...description] = info.description.split("\n\n");
    const { version } = changelog.releases[0]!;
    expect(line).toContain(`[changes in ${version}](docs/changelog#${version})`);
    const withoutLine = { ...info, description: `${description.join("\n\n")}\n` };
    expect({ ...rest, info: withoutLine, paths: document.paths }).toEqual(document);
    expect(paths["/pets"].get).toEqual({ ...document.paths["/pets"].get, "x-codeSamples": codeSamples["GET /pets"] });
    expect(await (await get("/docs")).text()).toContain('"url":"/docs/openapi.json"');
    expect(await (await get("/openapi.json")).text()).not.toContain("x-codeSamples");
  });

  test("the YAML has long texts as readable blocks", async () => {
    const text = await (await get("/openapi.yaml")).text();
    expect(text).toContain(
      "  description: |\n    List animals, add an animal, fetch an animal.\n\n    ## Authentication\n",
    );
  });
});

describe("security", () => {
  // The items of the OWASP API Security Top 10 about the contract. `api-keys` has the tests of the service.

  test("API5: every operation of the contract declares the scope that it needs", () => {
    for (const operation of operations()) {
      const requirements = operation.security.map((requirement) => requirement.bearerAuth);
      expect(requirements).toEqual([[expect.toBeOneOf([...scopes])]]);
    }
  });

  test("API7: no request carries an address that the service would fetch", () => {
    const requests = JSON.stringify([operations().map(({ parameters, requestBody }) => [parameters, requestBody])]);
    const schemas = JSON.stringify([document.components.parameters, document.components.schemas]);
    expect(requests + schemas).not.toMatch(/"format":"(uri|iri|url|hostname|ipv[46])/);
  });

  test("API9: every deprecated operation declares the dates of its deprecation and its sunset", () => {
    for (const operation of operations().filter(({ deprecated }) => deprecated)) {
      expect(operation).toMatchObject({ "x-deprecated-at": expect.any(String), "x-sunset": expect.any(String) });
    }
  });

  interface Operation {
    operationId: string;
    deprecated?: boolean;
    parameters?: unknown;
    requestBody?: unknown;
    security: { bearerAuth: string[] }[];
  }

  function operations(): Operation[] {
    return Object.values(document.paths).flatMap((item) => Object.values(item) as unknown as Operation[]);
  }
});

describe("errors", () => {
  test("the contract's table of codes equals ERRORS", () => {
    const rows = Array.from(
      document.info.description.matchAll(/^\| (\d{3}) \| `([a-z_]+)` \|/gm),
      ([, status, code]) => [code, Number(status)],
    );
    expect(Object.fromEntries(rows)).toEqual(
      Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status])),
    );
  });
});

describe("the check of responses", () => {
  test("a response that breaks the contract is sent unchanged in production, and its violation is logged without its value", async () => {
    const storage = await temporaryStorage();
    const { key } = await storage.write((trx) => createApiKey(trx, { name: "k", environment: "production" }));
    const { id } = await storage.write((trx) => insertPet(trx, { name: "Ca\tnary", categoryId: 1, status: "sold" }));
    const lines: string[] = [];
    const logger = pino({}, { write: (line) => lines.push(line) });
    const uses = keyUses(storage.write, logger);
    const config = readConfig({ PETSTORE_ENV: "production", PORT: "0" });
    const { signal: shutdown } = new AbortController();
    const context = {
      logger,
      metrics: undefined,
      tracing: undefined,
      isStopping: () => false,
      shutdown,
      onClose: () => {},
    };
    const app = await createApp({ ...config, ...context, storage, keyUses: uses });
    const { origin, close } = await listen(app, config);
    onTestFinished(async () => {
      await close();
      await uses.close();
    });
    vi.spyOn(Math, "random").mockReturnValue(0); // so that this response is in the sample
    onTestFinished(() => void vi.restoreAllMocks());

    const response = await fetch(`${origin}/v1/pets/${id}`, { headers: { Authorization: `Bearer ${key}` } });
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 200,
      body: { id, name: "Ca\tnary", categoryId: 1, status: "sold" },
    });
    expect(lines.join("")).toContain('"violation":{"operationId":"getPet","status":200,"pointer":"/body/name"');
    expect(lines.join("")).not.toContain("nary");
  });
});

describe("declared headers", () => {
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
});

describe("examples of refusals", () => {
  type Refused = [path: string, init?: RequestInit];

  const valid = { name: "Rex", categoryId: 1 };

  /** The rejected request for each error example, by operation and name of the example. */
  const REFUSED: Partial<Record<keyof operations, Record<string, Refused>>> = {
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
});
