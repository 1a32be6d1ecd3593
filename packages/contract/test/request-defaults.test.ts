import type { OpenAPI3 } from "openapi-typescript";
import { describe, expect, test } from "vitest";
import { withRequestDefaultsRequired } from "../request-defaults.ts";

const sized = (more = {}) => ({ required: ["name"], properties: { name: {}, size: { default: 1 }, ...more } });
const json = (name: string) => ({ "application/json": { schema: { $ref: `#/components/schemas/${name}` } } });

/** Each of the schemas is reached in another way: by a request, by a response, by both, through another schema. */
const DOCUMENT = {
  openapi: "3.1.1",
  info: { title: "Kennel", version: "1.0.0" },
  paths: {
    "/dogs": {
      parameters: [{ name: "page", in: "query", schema: { default: 1 } }],
      post: {
        parameters: [{ $ref: "#/components/parameters/Limit" }, { name: "sort", in: "query", schema: {} }],
        requestBody: { content: json("Asked") },
        responses: { 201: { description: "", content: json("Told") } },
      },
      put: {
        requestBody: { $ref: "#/components/requestBodies/Shared" },
        responses: { 200: { description: "", headers: { Age: { schema: { default: 1 } } }, content: json("Shared") } },
      },
    },
  },
  components: {
    parameters: { Limit: { name: "limit", in: "query", schema: { default: 20 } } },
    requestBodies: { Shared: { content: json("Shared") } },
    schemas: {
      Asked: sized({ example: { $ref: "#/components/schemas/Nested" } }),
      Told: sized(),
      Shared: sized(),
      Nested: { properties: { parent: { $ref: "#/components/schemas/Nested" }, tail: { default: null } } },
    },
  },
} as unknown as OpenAPI3;

describe("withRequestDefaultsRequired", () => {
  const { paths, components } = withRequestDefaultsRequired(DOCUMENT);
  const dogs = paths!["/dogs"] as {
    parameters: unknown[];
    post: { parameters: unknown[] };
    put: { responses: unknown };
  };

  test("requires a parameter that has a default, wherever it is written", () => {
    expect(dogs.parameters).toMatchObject([{ required: true }]);
    expect(components!.parameters!["Limit"]).toMatchObject({ required: true });
    expect(dogs.post.parameters[1]).not.toHaveProperty("required");
  });

  test("requires the fields of a request body that have a default, in nested and recursive schemas too", () => {
    expect(components!.schemas!["Asked"]).toMatchObject({ required: ["name", "size"] });
    expect(components!.schemas!["Nested"]).toMatchObject({ required: ["tail"] });
  });

  test("leaves responses as they are", () => {
    expect(components!.schemas!["Told"]).toEqual(sized());
    expect(dogs.put.responses).toEqual((DOCUMENT.paths!["/dogs"] as typeof dogs).put.responses);
  });

  test("requires them in a schema that responses share with requests, which has one type for both", () => {
    expect(components!.schemas!["Shared"]).toMatchObject({ required: ["name", "size"] });
  });

  test("changes nothing of what it was given", () => {
    expect(DOCUMENT.components!.schemas!["Asked"]).toMatchObject({ required: ["name"] });
  });
});
