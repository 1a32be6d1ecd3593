import express, { type RequestHandler } from "express";
import { describe, expect, test } from "vitest";
import { conformanceChecks, ConformanceError, runConformance } from "../src/conformance/conformance.ts";
import { type Handlers, implement, type OpenApiDocument } from "../src/index.ts";
import { brokenServers, utterlyBroken } from "./broken-servers.ts";
import { document, type operations } from "./fixtures/kennel.ts";
import { anyJson } from "./echo.ts";
import { listen } from "./listen.ts";

const handlers: Handlers<operations> = {
  findDogs: ({ query }) => ({
    status: 200,
    headers: { "X-Total": query.limit },
    body: Array.from({ length: query.limit }, () => ({ name: "Rex", legs: 4 })),
  }),
  addDog: ({ body }) => ({ status: 201, headers: { Location: "/dogs/1" }, body }),
};

const bearing = (token: string) => () => ({ headers: { Authorization: `Bearer ${token}` } });
const target = { credentials: bearing("good"), lesserCredentials: bearing("lesser") };
const limits = { bodyLimit: 65_536 };
const checks = conformanceChecks(document, limits);
const SCOPES: Record<string, string[]> = { good: ["dogs:write"], lesser: [] };
const untouched: RequestHandler = (_request, _response, next) => next();

/** Serves the kennel behind a middleware that breaks it. */
function serve(broken: RequestHandler, implemented: OpenApiDocument = document) {
  const bearer = (token: string) => SCOPES[token] && { caller: token, scopes: SCOPES[token] };
  const app = express().enable("strict routing");
  app.use(broken, implement<operations>()({ document: implemented, handlers, security: { bearer } }));
  return listen(app);
}

test("a server built with implement passes every check", async () => {
  await using server = await serve(untouched);
  const report = await runConformance(document, { ...target, baseUrl: server.baseUrl }, limits);
  expect(report).toEqual({ passed: checks.length, skipped: 0, failures: {}, unchecked: {} });
  expect(report.passed).toBeGreaterThan(60);
});

test("checks that need lesser credentials are skipped without them", async () => {
  await using server = await serve(untouched);
  const { credentials } = target;
  const report = await runConformance(document, { credentials, baseUrl: server.baseUrl }, limits);
  expect(report).toEqual({ passed: checks.length - 1, skipped: 1, failures: {}, unchecked: {} });
});

describe("a server with a fault fails the checks", () => {
  test.each([...utterlyBroken, ...brokenServers])("%s", async (_title, fails, says, broken) => {
    await using server = await (typeof broken === "function" ? serve(broken) : serve(untouched, broken));
    const due = checks.filter(({ title }) => fails.test(title));
    const outcomes = await Promise.all(
      due.map(({ operationId, title, run }) =>
        run({ ...target, baseUrl: server.baseUrl }).then(
          () => `${operationId}: ${title}: passed`,
          (error: unknown) => (error instanceof ConformanceError ? error.message : String(error)),
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome.endsWith(": passed"))).toEqual([]);
    expect(outcomes.join("\n")).toMatch(says);
  });

  test("every check fails for at least one server with a single fault", () => {
    const untested = checks.filter(({ title }) => !brokenServers.some(([, fails]) => fails.test(title)));
    expect(untested.map(({ title }) => title)).toEqual([]);
  });
});

test("an unavailable server is an error, not a failed check", async () => {
  await expect(runConformance(document, { ...target, baseUrl: "http://127.0.0.1:1" })).rejects.toThrow("fetch failed");
});

test("a missing example and a broken reference skip the checks of their operation alone", async () => {
  const bare = structuredClone(document) as unknown as {
    paths: Record<string, Record<string, { requestBody: object }>>;
    components: { schemas: { Dog: { properties: Record<string, object> } } };
  };
  bare.components.schemas.Dog.properties["name"] = { type: "string", pattern: "^(.)\\1$" };
  bare.paths["/broken"] = {
    post: { operationId: "broken", responses: {}, requestBody: { $ref: "#/nothing" } } as never,
  };
  await using server = await serve(untouched);
  const report = await runConformance(bare as unknown as OpenApiDocument, { ...target, baseUrl: server.baseUrl });
  expect(report.unchecked).toEqual({
    addDog: ['The document gives no example for the body of "addDog" at /name: add one.'],
    broken: ["The reference #/nothing points at nothing."],
  });
  expect(report.skipped).toBeGreaterThan(1);
  expect(report.passed).toBeGreaterThan(10);
});

test("a connection that ends without a response is a failed check", async () => {
  const paths = { "/x": { get: { operationId: "x", responses: anyJson } } };
  await using server = await listen((_request, response) => void response.destroy());
  const report = await runConformance({ openapi: "3.1.0", paths }, { baseUrl: server.baseUrl });
  expect(report.failures["x"]).toContain(
    "x: a valid request is accepted: expected a response, but the connection ended",
  );
  expect(report.passed).toBe(0);
});
