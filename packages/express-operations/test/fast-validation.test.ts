import { describe, expect, test } from "vitest";
import { operationsOf, type ParameterObject } from "../src/document/document.ts";
import { requestEov } from "../src/eov.ts";
import { excerpt } from "../src/document/excerpt.ts";
import { fastValidation } from "../src/request/parameters.ts";
import type { Subject } from "../src/request/subject.ts";
import { document } from "./fixtures/zoo.ts";

/** Returns the fast path of an operation of the zoo, with schemas that EOV has compiled. */
async function fastPath(operationId: string) {
  const { method, operation, parameters } = operationsOf(document).find(({ id }) => id === operationId)!;
  const part = excerpt(document, method, { ...operation, parameters });
  const { compiled } = await requestEov(part.document, part.at, method, [undefined]);
  return fastValidation(document, parameters, compiled);
}

function subjectOf(search: string, params: object = {}): Subject {
  const query = Object.fromEntries(new URLSearchParams(search));
  return { method: "GET", originalUrl: `/?${search}`, path: "/", headers: {}, params: { ...params }, query };
}

describe("the fast path", () => {
  test("accepts a plain request, coerced and with its defaults", async () => {
    const subject = subjectOf("name=Bo&weight=2", { year: "1999" });
    expect((await fastPath("countAnimals"))(subject)).toEqual([]);
    expect(subject).toMatchObject({ params: { year: 1999 }, query: { name: "Bo", weight: 2, tame: false } });
  });

  test.each([
    ["a value that violates the schema", "name=Bo&weight=heavy", { path: ["weight"], keyword: "type" }],
    ["a missing parameter", "weight=2", { path: ["name"], keyword: "required" }],
  ])("rejects %s with the fault of EOV", async (_, search, fault) => {
    const subject = subjectOf(search, { year: "1999" });
    expect((await fastPath("countAnimals"))(subject)).toMatchObject([fault]);
  });

  test.each([
    ["an unknown parameter", "name=Bo&color=red"],
    ["an empty value", "name=Bo&kind="],
  ])("leaves a request with %s to EOV, unchanged", async (_, search) => {
    const subject = subjectOf(search, { year: "1999" });
    expect((await fastPath("countAnimals"))(subject)).toBeUndefined();
    expect(subject).toEqual(subjectOf(search, { year: "1999" }));
  });

  test.each(Array.from(":/?#[]@!$'()*+,;"))(
    "leaves %s to EOV, because it must be percent-encoded",
    async (character) => {
      const subject = subjectOf(`name=B${character}o`, { year: "1999" });
      expect((await fastPath("countAnimals"))(subject)).toBeUndefined();
    },
  );

  test.each<[title: string, parameter: Partial<ParameterObject>]>([
    ["with a style", { style: "pipeDelimited", schema: { type: "string" } }],
    ["with allOf", { schema: { type: "integer", allOf: [{ minimum: 1 }] } }],
    ["with anyOf", { schema: { type: "integer", anyOf: [{ minimum: 1 }] } }],
    ["with oneOf", { schema: { type: "integer", oneOf: [{ minimum: 1 }] } }],
    ["without a type", { schema: {} }],
    ["with several types", { schema: { type: ["string", "null"] } }],
    ["with brackets in its name", { name: "q[a]", schema: { type: "string" } }],
  ])("leaves every request to EOV if a parameter is declared %s", async (_, parameter) => {
    const accepting = Object.assign(() => true, { errors: null });
    const schemas = { parameters: accepting, body: accepting };
    const faultsWith = (more: Partial<ParameterObject>) => {
      const declared: ParameterObject = { in: "query", name: "q", ...more };
      const sent = subjectOf(new URLSearchParams({ [declared.name]: "1" }).toString());
      return fastValidation(document, [declared], { get: () => schemas })(sent);
    };
    expect(faultsWith({ schema: { type: "string" } })).toEqual([]);
    expect(faultsWith(parameter)).toBeUndefined();
  });

  test("leaves every request to EOV if a parameter is an array", async () => {
    expect((await fastPath("findAnimals"))(subjectOf("limit=1"))).toBeUndefined();
  });
});
