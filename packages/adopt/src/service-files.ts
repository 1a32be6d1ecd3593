import { basename } from "node:path";
import { exampleCall, handlersFileOf, placeOf, type Place, resourceFileOf } from "@platform/dev/scaffold-files";
import type { OpenApiDocument, OperationEntry } from "openapi-document";
import type { Names } from "./names.ts";
import { type Security, verifiersOf } from "./security-files.ts";

/** The operations of one resource, and its files. */
export interface ResourcePlan {
  place: Place;
  entries: OperationEntry[];
}

/** Returns a resource for each tag, in the order of the contract. `tagOf` says which tag an operation belongs to. */
export function resourcesOf(entries: OperationEntry[]): ResourcePlan[] {
  const byFile = Map.groupBy(
    entries.map((entry) => ({ entry, place: placeOf(entry, entries) })),
    ({ place }) => place.handlersFile,
  );
  return Array.from(byFile.values(), (planned) => ({
    place: planned[0]!.place,
    entries: planned.map(({ entry }) => entry),
  }));
}

/** Returns the files of the resources by path: handlers that are stubs, the registration, and tests that say what to write. */
export function resourceFiles(
  document: OpenApiDocument,
  resources: ResourcePlan[],
  { name }: Names,
): Record<string, string> {
  const files = resources.flatMap(({ place, entries }) => [
    [
      place.handlersFile,
      handlersFileOf(
        entries.map(({ id }) => id),
        place,
        `@${name}/contract`,
      ),
    ],
    [place.resourceFile, resourceFileOf(place)],
    [testFileOf(place), resourceTest(document, place, entries)],
  ]);
  return Object.fromEntries(files) as Record<string, string>;
}

function testFileOf({ handlersFile }: Place): string {
  const folder = basename(handlersFile, ".handlers.ts");
  return `apps/server/test/${folder}/${folder}.test.ts`;
}

/** Each operation has a test that is skipped while its handler is a stub. */
function resourceTest(document: OpenApiDocument, place: Place, entries: OperationEntry[]): string {
  const handlers = basename(place.handlersFile);
  const folder = basename(place.handlersFile, ".handlers.ts");
  const tests = entries.map((entry) => {
    const id = JSON.stringify(entry.id);
    const { isAsync, needs, body } = testBody(document, entry);
    return `
test(${JSON.stringify(`${entry.id} responds as the contract declares`)}, ${isAsync ? "async " : ""}(context) => {
  context.skip(isStub(${place.handlersName}[${id}]), \`write ${escaped(entry.id)} in \${HANDLERS}, then ${needs}\`);
${body}
});
`;
  });
  const text = tests.join("");
  const imports = [
    'import { isStub } from "@platform/service/stub";',
    'import { expect, test } from "vitest";',
    `import { ${place.handlersName} } from "../../src/resources/${folder}/${handlers}";`,
    ...(text.includes("startService()") ? ['import { startService } from "../../testing/service.ts";'] : []),
    "",
    `const HANDLERS = "${place.handlersFile}";`,
  ];
  return `${imports.join("\n")}\n${text}`;
}

/** Returns the test of an operation that is written: its example request, or what to write if the contract has none. */
function testBody(document: OpenApiDocument, entry: OperationEntry): { isAsync: boolean; needs: string; body: string } {
  try {
    const { call, status } = exampleCall(document, entry);
    const lines = [
      "await using service = await startService();",
      `const response = await ${call};`,
      `expect(response.status).toBe(${status});`,
    ];
    return { isAsync: true, needs: "the data that this test needs", body: lines.map((line) => `  ${line}`).join("\n") };
  } catch (error) {
    const reason = `Write this test. The contract has no example request: ${(error as Error).message}`;
    return { isAsync: false, needs: "this test", body: `  expect.unreachable(${JSON.stringify(reason)});` };
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[`\\$]/g, String.raw`\$&`);
}

/** Returns the text of `registrations.ts`. */
export function registrationsFile(resources: ResourcePlan[], { name }: Names): string {
  const imports = resources.map(
    ({ place }) => `import { ${place.resourceName} } from "./${place.resourceFile.slice("apps/server/src/".length)}";`,
  );
  const names = [...resources.map(({ place }) => place.resourceName), "apiKeys"];
  return `import type { OperationsWithDefaults } from "@${name}/contract";
import { apiKeys } from "@platform/api-keys/keys.table";
import { tablesOf, type TablesOf } from "@platform/storage/registration";
import type { Handlers } from "express-operations";
import type { Context } from "./resources/context.ts";
import { handlersOf } from "./resources/resource.ts";
${imports.join("\n")}

/** The registrations of all resources and packages with tables. A table comes after the tables that it references. */
export const REGISTRATIONS = [${names.join(", ")}] as const;

/** The row types of all tables, by table name. Times in rows are in milliseconds since 1970. */
export type Tables = TablesOf<(typeof REGISTRATIONS)[number]>;

/** The metadata of all tables, in the order of the registrations. */
export const TABLES = tablesOf(REGISTRATIONS);

/** The handlers of all operations of the contract. */
export const handlers: Handlers<OperationsWithDefaults, Context<Tables>> = handlersOf(REGISTRATIONS);
`;
}

/** The text of `migrations.ts`: the tables of the platform, then those of the registrations. */
export const MIGRATIONS_FILE = `import { auditApiKeys, createApiKeys, createIdempotencyKeys, createRateLimits } from "@platform/api-keys/keys.table";
import type { Migrations } from "@platform/storage/migrations";
import { migrationsOf } from "@platform/storage/registration";
import { REGISTRATIONS } from "./registrations.ts";

/** Migrations that no registration contains. Add none: a new migration belongs to the registration of its tables. */
const SHARED: Migrations = {
  "0001_create_tables": {
    servedBy: "every version",
    up: async (db) => {
      await createApiKeys(db);
      await createIdempotencyKeys(db);
      await auditApiKeys(db);
      await createRateLimits(db);
    },
  },
};

/** All migrations of this version, by name and in order. The name and SQL of a released migration never change. */
export const MIGRATIONS = migrationsOf(SHARED, REGISTRATIONS);
`;

/** Returns the files of `testing`, which start the service for tests. */
export function testingFiles({ name }: Names, security: Security): Record<string, string> {
  const hasTokens = verifiersOf(security).has("token");
  return {
    "apps/server/testing/testing.ts": `/** A running service over its own database, and credentials for it. */
export interface TestService {
  baseUrl: string;
  metricsUrl: string | undefined;
  databaseUrl: string;
  /** An API key with every scope. */
  key: string;
  /** Returns credentials with every scope for an operation. */
  credentials: (operationId: string) => { headers: Record<string, string>; query: Record<string, string> };
  /** Requests a path below the base URL, with the credentials of its operation. */
  request: (path: string, init?: RequestInit) => Promise<Response>;
  [Symbol.asyncDispose]: () => Promise<void>;
}

/** The export of \`service.ts\` for other packages, whose type-check need not look through the service as well. */
export declare const startService: (env?: NodeJS.ProcessEnv) => Promise<TestService>;
`,
    "apps/server/testing/service.ts": `import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
${hasTokens ? `import { scopes } from "@${name}/contract";\n` : ""}import { document } from "@${name}/contract/document";
import { credentialsOf, operationAt } from "@platform/contract-tools/credentials";
import { newDatabase } from "@platform/test-support/temporary";
${hasTokens ? 'import { startIssuer } from "@platform/tokens/testing";\n' : ""}import { operationsOf } from "openapi-document";
import { pino } from "pino";
import { type Config, readConfig } from "../src/config.ts";
import { prepare } from "../src/database.ts";
import { start } from "../src/server.ts";
import type { startService as StartService, TestService } from "./testing.ts";

export type { TestService };

const entries = new Map(operationsOf(document).map((entry) => [entry.id, entry]));

/** Starts the real service on a free port, over a new database unless \`env\` names another. */
export const startService: typeof StartService = async (env = {}) => {
  const directory = await mkdtemp(join(tmpdir(), "service-"));
  const database = await newDatabase();
${hasTokens ? "  const issuer = await startIssuer();\n" : ""}  const quickstartFile = join(directory, "quickstart.key");
  const settings = { DATABASE_URL: database.url, PORT: "0", ${hasTokens ? "...issuer.env, " : ""}...env };
  const config: Config = { ...readConfig(settings), quickstartFile };
  await prepare(config);
  const service = await start(config, pino({ level: "silent" }));
  const key = (await readFile(quickstartFile, "utf8")).trim();
  const secrets = { apiKey: key${hasTokens ? ", token: await issuer.token(scopes)" : ""} };

  return {
    baseUrl: service.baseUrl,
    metricsUrl: service.metricsUrl,
    databaseUrl: config.databaseUrl,
    key,
    credentials: (operationId) => credentialsOf(document, entries.get(operationId)!, secrets),
    request: (path, init = {}) => {
      const entry = operationAt(document, init.method ?? "GET", path);
      const { headers, query } = entry ? credentialsOf(document, entry, secrets) : { headers: {}, query: {} };
      const url = new URL(service.baseUrl + path);
      for (const [parameter, value] of Object.entries(query)) url.searchParams.set(parameter, value);
      return fetch(url, { ...init, headers: { ...headers, ...(init.headers as Record<string, string> | undefined) } });
    },
    [Symbol.asyncDispose]: async () => {
      await service.close();
${hasTokens ? "      await issuer[Symbol.asyncDispose]();\n" : ""}      await database.drop();
      await rm(directory, { recursive: true });
    },
  };
};
`,
  };
}

/** Returns the conformance test, which skips and counts stubs, and sends a valid request to each stub. */
export function conformanceTest({ name }: Names): string {
  return `import { document } from "@${name}/contract/document";
import { stubsIn } from "@platform/service/stub";
import { exampleRequestOf } from "@platform/contract-tools/curl-examples";
import { conformanceChecks } from "express-operations/conformance";
import { findBrokenOperations } from "express-operations/schema-check";
import { operationsOf } from "openapi-document";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handlers } from "../src/registrations.ts";
import { startService, type TestService } from "../testing/service.ts";

const stubs = new Set(stubsIn(handlers));
const ids = Object.keys(handlers);
/** The statuses for a request that is not valid, where the contract has no valid example. */
const REJECTIONS = new Set([400, 406, 412, 413, 415]);
const checks = conformanceChecks(document, { bodyLimit: 65_536 }).filter(({ operationId }) => !stubs.has(operationId));

describe("the service conforms to the contract", () => {
  let service: TestService;
  beforeAll(async () => void (service = await startService()));
  afterAll(() => service[Symbol.asyncDispose]());

  describe.each(Object.entries(Object.groupBy(checks, ({ operationId }) => operationId)))("%s", (_id, own = []) => {
    test.each(own)("$title", async ({ run, needs }) => {
      if (needs !== undefined) return;
      await expect(run({ baseUrl: service.baseUrl, credentials: service.credentials })).resolves.toBeUndefined();
    });
  });

  test("every operation has a handler, written or a stub", (context) => {
    context.skip(stubs.size > 0, \`\${stubs.size} of \${ids.length} operations are stubs; conformance checks the others\`);
    expect(ids.length).toBeGreaterThan(0);
  });

  test("a stub responds with 501 to a valid request, and with 401 where nothing validates credentials yet", async (context) => {
    const skipped: string[] = [];
    const errors = new Map(findBrokenOperations(document).map(({ operationId, error }) => [operationId, error as Error]));
    // The validators of a large contract take a second each.
    const tried = operationsOf(document).filter(({ id }) => stubs.has(id)).filter((_, at) => at % Math.ceil(stubs.size / 50) === 0);
    for (const entry of tried) {
      const error = errors.get(entry.id);
      if (error !== undefined) skipped.push(\`\${entry.id} (\${error.message})\`);
      const request = error === undefined ? exampleRequestOf(document, entry) : undefined;
      if (request === undefined || /^(?:HEAD|TRACE)$/.test(request.method)) continue;
      const { method, target, headers, body } = request;
      const response = await service.request(target, { method, headers, ...(body && { body }) });
      const text = await response.text();
      if (REJECTIONS.has(response.status)) skipped.push(\`\${entry.id} (\${response.status})\`);
      expect([501, 401, ...REJECTIONS], \`\${method} \${target}: \${text}\`).toContain(response.status);
    }
    context.skip(skipped.length > 0, \`no valid request can be made from the contract for \${skipped.join(", ")}\`);
  });
});
`;
}
