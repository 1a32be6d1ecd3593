import express from "express";
import { type OpenApiDocument, operationsOf } from "openapi-document";
import { describe, expect, test } from "vitest";
import { buildValidators } from "../src/eov/validator.ts";
import { implement } from "../src/index.ts";
import { acceptanceOf } from "../src/request/accept.ts";
import { anyJson } from "./echo.ts";
import { listen } from "./listen.ts";

describe("media types", () => {
  /** Serves an operation that responds with the media type that its handler received. */
  async function received(content: object, contentType: string, { vendorTypes = false, accept = "*/*" } = {}) {
    const post = { operationId: "x", requestBody: { content }, responses: anyJson };
    const document = { openapi: "3.1.0", info: { title: "t", version: "1" }, paths: { "/x": { post } } };
    const x = (input: { contentType: string }) => ({ status: 200, body: input.contentType });
    const app = express().use(implement()({ document, handlers: { x } as never, vendorTypes }));
    await using server = await listen(app);
    const headers = { "Content-Type": contentType, Accept: accept };
    const response = await fetch(`${server.baseUrl}/x`, { method: "POST", body: "{}", headers });
    return response.status === 200 ? await response.json() : response.status;
  }

  const JSON_ALONE = { "application/json": { schema: { type: "object" } } };

  test.each<[declared: object, sent: string, received: unknown]>([
    [{ "image/*": {} }, "image/PNG; charset=utf-8", "image/png"],
    [{ "*/*": {} }, "text/csv; header=present", "text/csv;header=present"],
    [{ "application/*+json": {} }, "application/vnd.shop+json", "application/vnd.shop+json"],
    [JSON_ALONE, "Application/JSON; charset=utf-8", "application/json"],
    [{ ...JSON_ALONE, "application/*": {} }, "application/pdf", "application/pdf"],
  ])("with %j declared, a handler gets %s as %s", async (declared, sent, expected) => {
    expect(await received(declared, sent)).toBe(typeof expected === "string" ? expected.replace(";", "; ") : expected);
  });

  test("media types with one schema are compiled once", async () => {
    const [pet, id] = [{ schema: { $ref: "#/components/schemas/Pet" } }, { schema: { type: "integer" } }];
    const images = Object.fromEntries(Array.from({ length: 360 }, (_, index) => [`image/x-${index}`, pet]));
    const requestBody = { content: { ...images, "application/json": id } };
    const document = {
      openapi: "3.1.0",
      paths: { "/x": { post: { operationId: "x", requestBody, responses: {} } } },
      components: { schemas: { Pet: { type: "object" } } },
    } as unknown as OpenApiDocument;
    const validators = buildValidators(document, operationsOf(document)[0]!);
    expect([validators.size, new Set(validators.values()).size]).toEqual([1 + 360 + 1, 1 + 1 + 1]);
  });

  test("vendor types match the type of their suffix with the option alone", async () => {
    for (const sent of ["application/vnd.github+json", "application/vnd.github.v3.raw+json; q=1"]) {
      expect(await received(JSON_ALONE, sent)).toBe(415);
      expect(await received(JSON_ALONE, sent, { vendorTypes: true })).toBe("application/json");
    }
    const exact = { ...JSON_ALONE, "application/vnd.github+json": {} };
    const options = { vendorTypes: true };
    expect(await received(exact, "application/vnd.github+json", options)).toBe("application/vnd.github+json");
    for (const sent of ["application/vnd.github+xml", "application/problem+json", "text/vnd.shop+json"])
      expect(await received(JSON_ALONE, sent, options), sent).toBe(415);
  });

  test("vendor types in Accept allow the type of their suffix with the option alone", async () => {
    const accepted = (accept: string, vendorTypes: boolean) =>
      received(JSON_ALONE, "application/json", { accept, vendorTypes });
    expect(await accepted("application/vnd.github+json", false)).toBe(406);
    expect(await accepted("application/vnd.github+json", true)).toBe("application/json");
    expect(await accepted("application/vnd.github+json;q=0", true)).toBe(406);
    expect(await accepted("application/vnd.github+xml", true)).toBe(406);
  });
});

describe("the header Accept", () => {
  test.each<[declared: string[], accept: string, isAllowed: boolean]>([
    [["application/json"], "*/*", true],
    [["application/json"], "application/*", true],
    [["application/json"], "Application/JSON", true],
    [["application/json"], "application/json;charset=UTF-8", true],
    [["application/json"], 'application/json; charset="utf-8"', true],
    [["application/json"], "application/json;charset=latin1", false],
    [["application/json"], "application/json;version=2", false],
    [["application/json;version=2"], "application/json;version=2", true],
    [["application/json;version=2"], "application/json ; Version = 2 ;charset=utf-8", true],
    [["application/json;version=2"], "application/json;version=1", false],
    [["application/json"], "text/*", false],
    [["application/json", "text/csv"], "text/*", true],
    [["application/json"], "text/html, application/json", true],
    [["application/json"], "text/html,, ,application/json", true],
    [["application/json"], 'text/html;a="b,c", application/json', true],
    [["application/json"], 'text/html;a="b\\",application/json"', false],
    [["application/json"], 'text/html;a="b\\"", application/json', true],
    [["application/json"], 'text/html;a="b, application/json', false],
    [["application/json"], 'application/json, text/html;a="b', true],
    [["application/json"], "application/json;q=0", false],
    [["application/json"], "application/json;q=0.001", true],
    [["application/json"], "application/json;Q=0", false],
    [["application/json"], "application/json;q=1;q=0", true],
    [["application/json"], "*/*;q=0, application/json", true],
    [["application/json"], "*/*, application/json;q=0", false],
    [["application/json"], "application/json;q=0, application/*", false],
    [["application/json"], "application/*;q=0, */*", false],
    [["application/json"], "application/json;q=0, application/json;q=1", true],
    [["application/json"], "application/json;q=1, application/json;q=0", true],
    [["application/json"], "application/json;charset=utf-8;q=0, application/json", true],
    [["application/json"], "", false],
    [["application/json"], "a", false],
    [["application/json"], ";", false],
    [["application/json"], "text/html;=, application/json", true],
    [[], "text/html", true],
    [["text/*"], "application/json", true],
    [["text/csv", "*/*"], "application/json", true],
  ])("for the media types %j, Accept %j allows one: %s", (declared, accept, isAllowed) => {
    expect(acceptanceOf(declared)(accept)).toBe(isAllowed);
  });
});
