import { describe, expect, test } from "vitest";
import { compareContracts } from "../src/comparison/compare.ts";
import { CHANGE_KINDS } from "./change-kinds/index.ts";

describe("kinds of changes", () => {
  type Documents = Parameters<typeof compareContracts>[0];

  const messagesOf = (documents: Documents) =>
    compareContracts(documents).map(({ impact, place, message }) => `${impact} ${place}: ${message}`);

  /** Returns the place of a change, as a path from the root of the document. */
  function placeIn(document: object, at: ReturnType<typeof compareContracts>[number]["at"]): string {
    const path = at && pathTo(at.node, document);
    if (path === undefined || (at?.key !== undefined && !Object.hasOwn(at.node, at.key))) return "nowhere";
    return [...path, at?.key ?? []].flat().join("/").replace("paths//pets/post/", "");
  }

  function pathTo(node: object, from: object): string[] | undefined {
    if (from === node) return [];
    for (const [key, value] of Object.entries(from)) {
      const path = typeof value === "object" && value !== null ? pathTo(node, value as object) : undefined;
      if (path !== undefined) return [key, ...path];
    }
    return undefined;
  }

  describe("compareContracts reports the impact and the place of a change:", () => {
    test.each(Object.entries(CHANGE_KINDS))("%s", (_kind, { before, after, messages, at }) => {
      expect(messagesOf({ before, after })).toEqual(messages);
      expect(compareContracts({ before, after }).map((change) => placeIn(after, change.at))).toEqual(at);
    });

    test("no change in an equal contract", () => {
      for (const { after } of Object.values(CHANGE_KINDS)) {
        expect(compareContracts({ before: after, after: structuredClone(after) })).toEqual([]);
      }
    });
  });

  describe("a schema", () => {
    const json = (schema: object) => ({ content: { "application/json": { schema } } });
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const answered = (schema: object) => ({ "200": { description: "Done.", ...json(schema) } });

    test("is reported for each affected operation and direction", () => {
      const pets = (values: string[]) => ({
        openapi: "3.1.1",
        paths: {
          "/pets": {
            get: {
              parameters: [{ name: "status", in: "query", schema: ref("PetStatus") }],
              responses: answered({ type: "array", items: ref("Pet") }),
            },
            post: { requestBody: json(ref("NewPet")), responses: answered(ref("Pet")) },
          },
          "/pets/{petId}": { get: { responses: answered(ref("Pet")) } },
          "/ping": { get: { responses: answered({ type: "string" }) } },
        },
        components: {
          schemas: {
            PetStatus: { type: "string", enum: values },
            NewPet: { type: "object", properties: { status: { ...ref("PetStatus"), default: "available" } } },
            Pet: { type: "object", required: ["status"], properties: { status: ref("PetStatus") } },
          },
        },
      });
      const widened = messagesOf({ before: pets(["available", "sold"]), after: pets(["available", "sold", "lost"]) });
      const inRequests = "Widens the request: the service accepts more.";
      const inResponses = "Widens the response: clients may not understand the new values.";
      expect(widened).toEqual([
        `additive GET /pets: Query parameter "status": the value "lost" is added. ${inRequests}`,
        `breaking GET /pets: Response 200, field "[].status": the value "lost" is added. ${inResponses}`,
        `additive POST /pets: Request body, field "status": the value "lost" is added. ${inRequests}`,
        `breaking POST /pets: Response 200, field "status": the value "lost" is added. ${inResponses}`,
        `breaking GET /pets/{petId}: Response 200, field "status": the value "lost" is added. ${inResponses}`,
      ]);
    });

    const accepting = (schemas: object, name: string) => ({
      openapi: "3.1.1",
      paths: { "/pets": { post: { requestBody: json(ref(name)), responses: {} } } },
      components: { schemas },
    });
    const short = (maxLength: number) => ({ type: "string", maxLength });

    test.each<[string, (maxLength: number) => object, string[]]>([
      [
        "by a field of each alternative",
        (n) => ({ oneOf: [{ properties: { a: ref("A"), n: short(n) } }, { properties: { b: ref("A") } }] }),
        ["n"],
      ],
      ["by a negation", (n) => ({ properties: { not: { not: ref("A") }, n: short(n) } }), ["not", "n"]],
      ["by one of its alternatives", (n) => ({ anyOf: [ref("A"), short(n)] }), [""]],
      [
        "by several combined schemas",
        (n) => ({ allOf: [{ properties: { a: ref("A") } }, { properties: { a: { properties: { n: short(n) } } } }] }),
        ["a.n"],
      ],
      ["by its own combination", (n) => ({ allOf: [ref("A"), short(n)] }), [""]],
    ])("that contains itself %s is compared completely", (_how, schema, fields) => {
      const changes = messagesOf({ before: accepting({ A: schema(2) }, "A"), after: accepting({ A: schema(1) }, "A") });
      for (const field of fields) {
        const subject = field === "" ? "Request body" : `Request body, field "${field}"`;
        expect(changes).toContainEqual(expect.stringContaining(`breaking POST /pets: ${subject}: \``));
      }
    });

    /** The changes that only exclude values, so that the service promises more. */
    const NARROWING = new Set([
      "the first items are split from the others",
      "an equal member is added",
      "a second member accepts null",
      "a second member with a tag field accepts null",
    ]);

    const closed = { additionalProperties: false };
    const text = { type: "string" };
    const tagged = (tag: string, type: string | string[]) => ({
      type,
      required: ["kind"],
      properties: { kind: { const: tag } },
    });
    test.each<[string, object, object]>([
      [
        "a closed object is split",
        { properties: { a: {}, b: {} }, ...closed },
        { allOf: [{ properties: { a: {} }, ...closed }, { properties: { b: {} } }] },
      ],
      [
        "properties move out of a closed object",
        { properties: { a: {} }, ...closed },
        { ...closed, allOf: [{ properties: { a: {} } }] },
      ],
      [
        "conditions are exchanged",
        {
          allOf: [
            { if: { minimum: 1 }, else: { multipleOf: 2 } },
            { if: { minimum: 9 }, else: { multipleOf: 3 } },
          ],
        },
        {
          allOf: [
            { if: { minimum: 1 }, else: { multipleOf: 3 } },
            { if: { minimum: 9 }, else: { multipleOf: 2 } },
          ],
        },
      ],
      [
        "counts of contained items are exchanged",
        {
          allOf: [
            { contains: text, minContains: 1 },
            { contains: { type: "integer" }, minContains: 2 },
          ],
        },
        {
          allOf: [
            { contains: text, minContains: 2 },
            { contains: { type: "integer" }, minContains: 1 },
          ],
        },
      ],
      [
        "the first items are split from the others",
        { prefixItems: [text], items: false },
        { allOf: [{ prefixItems: [text] }, { items: false }] },
      ],
      [
        "an added member accepts values of another",
        { oneOf: [text, { type: "integer" }] },
        { oneOf: [text, { type: "integer" }, { type: "number" }] },
      ],
      [
        "a member accepts values of another",
        { oneOf: [{ maxLength: 5 }, { minLength: 6 }] },
        { oneOf: [{ maxLength: 10 }, { minLength: 6 }] },
      ],
      [
        "an equal member is added",
        { oneOf: [text, { type: "integer" }] },
        { oneOf: [text, text, { type: "integer" }] },
      ],
      [
        "a second member accepts null",
        { oneOf: [{ type: "string", nullable: true }, { type: "integer" }] },
        {
          oneOf: [
            { type: "string", nullable: true },
            { type: "integer", nullable: true },
          ],
        },
      ],
      [
        "a second member with a tag field accepts null",
        { oneOf: [tagged("a", ["object", "null"]), tagged("b", "object")] },
        { oneOf: [tagged("a", ["object", "null"]), tagged("b", ["object", "null"])] },
      ],
      [
        "a field with the name of an annotation changes in a member",
        { oneOf: [{ properties: { title: { maxLength: 5 } } }, { properties: { title: { minLength: 6 } } }] },
        { oneOf: [{ properties: { title: { maxLength: 10 } } }, { properties: { title: { minLength: 6 } } }] },
      ],
    ])("is breaking for requests and responses if %s", (how, before, after) => {
      for (const direction of ["requestBody", ...(NARROWING.has(how) ? [] : ["responses"])]) {
        const of = (schema: object) => {
          const content = { "application/json": { schema } };
          const post =
            direction === "requestBody"
              ? { requestBody: { content }, responses: {} }
              : { responses: { 200: { description: "", content } } };
          return { openapi: "3.1.1", paths: { "/pets": { post } } };
        };
        expect(messagesOf({ before: of(before), after: of(after) }).join("\n")).toContain("breaking POST /pets");
      }
    });

    test("is breaking if it changes and has too many alternatives or contains its own choice", () => {
      const many = (maxLength: number) => ({
        allOf: Array.from({ length: 8 }, (_, at) => ({
          anyOf: Array.from({ length: 8 }, (__, n) => short(maxLength + 8 * at + n)),
        })),
      });
      const own = (type: string) => ({ oneOf: [{ allOf: [ref("A"), { properties: { a: { type } } }] }] });
      for (const schema of [() => many(1), () => own("string")])
        expect(messagesOf({ before: accepting({ A: schema() }, "A"), after: accepting({ A: schema() }, "A") })).toEqual(
          [],
        );
      for (const [before, after] of [
        [many(1), many(2)],
        [own("string"), own("integer")],
      ])
        expect(
          messagesOf({ before: accepting({ A: before! }, "A"), after: accepting({ A: after! }, "A") }),
        ).toContainEqual(expect.stringContaining("breaking POST /pets"));
    });

    test("is compared only once, even if many paths lead to it", () => {
      const ladder = (maxLength: number) => {
        const rungs = Array.from({ length: 64 }, (_, at): [string, object] => {
          const next = at === 63 ? short(maxLength) : ref(`S${at + 1}`);
          return [
            `S${at}`,
            {
              oneOf: [
                { type: "object", required: ["kind"], properties: { kind: { const: "a" }, a: next } },
                { type: "object", required: ["kind"], properties: { kind: { const: "b" }, b: next } },
              ],
            },
          ];
        });
        return accepting(Object.fromEntries(rungs), "S0");
      };
      expect(messagesOf({ before: ladder(2), after: ladder(1) })).toHaveLength(2);
    });
  });

  test(
    "1,200 operations over 1,000 schemas that refer to each other are compared in seconds",
    { timeout: 20_000 },
    () => {
      const contract = (more: object): Documents["before"] => {
        const property = (at: number) => ({
          anyOf: [{ type: "string" }, { $ref: `#/components/schemas/S${at % 1_000}` }],
        });
        const schemaOf = (at: number) => ({
          type: "object",
          properties: Object.fromEntries([1, 7, 31, 101].map((step) => [`to${step}`, property(at + step)])),
        });
        const schemas = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`S${at}`, schemaOf(at)]));
        const content = (at: number) => ({
          "application/json": { schema: { $ref: `#/components/schemas/S${at % 1_000}` } },
        });
        const operation = (at: number) => ({ get: { responses: { 200: { description: "", content: content(at) } } } });
        const paths = Object.fromEntries(Array.from({ length: 1_200 }, (_, at) => [`/${at}`, operation(at)]));
        Object.assign(schemas["S999"]!.properties, more);
        return { openapi: "3.1.1", info: { title: "", version: "1" }, paths, components: { schemas } } as never;
      };
      const changes = compareContracts({ before: contract({}), after: contract({ extra: { type: "string" } }) });
      expect(new Set(changes.map(({ place }) => place)).size).toBe(1_200);
    },
  );
});
