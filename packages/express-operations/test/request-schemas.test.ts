import { describe, expect, test } from "vitest";
import { anyJson, serveEcho } from "./echo.ts";

const string = { type: "string" };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Sends JSON bodies to an operation. Returns the body that the handler got, or the message. */
async function post(schema: object, schemas: object, bodies: unknown[], openapi = "3.1.0"): Promise<unknown[]> {
  const requestBody = { required: true, content: { "application/json": { schema } } };
  const paths = { "/x": { post: { operationId: "x", requestBody, responses: anyJson } } };
  await using server = await serveEcho(paths, { openapi, components: { schemas } });
  const answers: unknown[] = [];
  for (const body of bodies) {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(`${server.baseUrl}/x`, { method: "POST", headers, body: JSON.stringify(body) });
    const answer = (await response.json()) as { body?: unknown; message?: string };
    answers.push(response.status === 200 ? answer.body : answer.message);
  }
  return answers;
}

describe.each(["constructor", "toString", "hasOwnProperty"])("the name %s, which all objects inherit,", (name) => {
  test("is an ordinary field", async () => {
    const optional = { type: "object", properties: { [name]: string } };
    const bodies = [{}, { [name]: "a" }, { [name]: 1 }];
    const notText = `Body field "${name}" must be a string.`;
    expect(await post(optional, {}, bodies)).toEqual([{}, { [name]: "a" }, notText]);
    const isRequired = `Body field "${name}" is required.`;
    expect(await post({ ...optional, required: [name] }, {}, bodies)).toEqual([isRequired, { [name]: "a" }, notText]);
    const dependent = { type: "object", dependentRequired: { [name]: ["a"], b: [name] } };
    expect(await post(dependent, {}, [{}, { b: 1 }])).toEqual([{}, `Body field "${name}" is required beside "b".`]);
  });

  test("may be left out although it has a default, which is not filled in", async () => {
    const schema = { type: "object", properties: { [name]: { ...string, default: "a" } } };
    expect(await post(schema, {}, [{}, { [name]: "b" }])).toEqual([{}, { [name]: "b" }]);
    const parameters = [{ in: "query", name, schema: { ...string, default: "a" } }];
    await using server = await serveEcho({ "/x": { get: { operationId: "x", parameters, responses: anyJson } } });
    expect(await (await fetch(`${server.baseUrl}/x`)).json()).toMatchObject({ query: {} });
  });

  test.each(["query", "header", "cookie"])("is an ordinary parameter: %s", async (place) => {
    const send = async (required: boolean) => {
      const parameters = [{ in: place, name, required, schema: string }];
      await using server = await serveEcho({ "/x": { get: { operationId: "x", parameters, responses: anyJson } } });
      const response = await fetch(`${server.baseUrl}/x`);
      const { query, headers, cookies } = (await response.json()) as Record<string, object>;
      return response.status === 200 ? { ...query, ...headers, ...cookies } : response.status;
    };
    expect([await send(false), await send(true)]).toEqual([{}, 400]);
  });
});

describe("the schemas true and false", () => {
  test.each(["application/json", "application/x-www-form-urlencoded", "text/plain", "image/png"])(
    "of a body: %s",
    async (type) => {
      const statusOf = async (schema: boolean) => {
        const requestBody = { content: { [type]: { schema } } };
        await using server = await serveEcho({ "/x": { post: { operationId: "x", requestBody, responses: anyJson } } });
        const headers = { "Content-Type": type };
        return (await fetch(`${server.baseUrl}/x`, { method: "POST", headers, body: "1" })).status;
      };
      expect([await statusOf(true), await statusOf(false)]).toEqual([200, type === "image/png" ? 200 : 400]);
    },
  );

  test.each(["query", "header", "cookie"])("of a parameter: %s", async (place) => {
    const statusOf = async (schema: boolean) => {
      const parameters = [{ in: place, name: "p", schema }];
      await using server = await serveEcho({ "/x": { get: { operationId: "x", parameters, responses: anyJson } } });
      return (
        await fetch(`${server.baseUrl}/x?${place === "query" ? "p=1" : ""}`, { headers: { p: "1", Cookie: "p=1" } })
      ).status;
    };
    expect([await statusOf(true), await statusOf(false)]).toEqual([200, 400]);
  });

  test("of a component", async () => {
    const schema = { type: "object", properties: { never: ref("Never"), any: ref("Any") } };
    const schemas = { Never: false, Any: true };
    expect(await post(schema, schemas, [{}, { any: 1 }, { never: 1 }])).toEqual([
      {},
      { any: 1 },
      'Body field "never" has a value that the API description excludes.',
    ]);
    expect(await post(ref("Never"), schemas, [1])).toEqual([
      "The request body has a value that the API description excludes.",
    ]);
  });

  test("of a field in the members of a choice", async () => {
    const member = (name: string) => ({ type: "object", required: [name], properties: { [name]: true, other: false } });
    const schema = { oneOf: [member("a"), member("b")] };
    expect(await post(schema, {}, [{ a: 1 }, { c: 1 }])).toEqual([
      { a: 1 },
      "The request body must have one of the fields: a, b.",
    ]);
  });
});

describe("readOnly", () => {
  test("makes a field of another member of allOf optional, and rejects it", async () => {
    const Base = { type: "object", properties: { id: { ...string, readOnly: true } } };
    const schema = { allOf: [ref("Base"), { required: ["id", "name"], properties: { name: string } }] };
    expect(await post(schema, { Base }, [{ name: "a" }, { name: "a", id: "1" }, {}])).toEqual([
      { name: "a" },
      'Body field "id" is set by the service alone. Leave it out.',
      'Body field "name" is required.',
    ]);
  });

  test("has no meaning outside of fields", async () => {
    const Text = { ...string, readOnly: true };
    expect(await post({ ...ref("Text") }, { Text }, ["a"])).toEqual(["a"]);
    const list = { type: "array", items: ref("Text") };
    const schema = { type: "object", properties: { list, text: ref("Text") } };
    expect(await post(schema, { Text }, [{ list: ["a"] }, { text: "a" }])).toEqual([
      { list: ["a"] },
      'Body field "text" is set by the service alone. Leave it out.',
    ]);
  });

  test("has no meaning beside a reference in OpenAPI 3.0", async () => {
    const schema = { type: "object", properties: { a: { ...ref("Text"), readOnly: true } } };
    expect(await post(schema, { Text: string }, [{ a: "x" }], "3.0.3")).toEqual([{ a: "x" }]);
    expect(await post(schema, { Text: string }, [{ a: "x" }])).toEqual([
      'Body field "a" is set by the service alone. Leave it out.',
    ]);
  });
});

describe("a default", () => {
  test.each<[schema: object]>([
    [{ type: "string", default: true }],
    [{ type: "integer", default: "1" }],
    [{ type: "integer", default: 1.5 }],
    [{ type: "string", enum: ["a"], default: "b" }],
  ])("that its own schema %j rejects is not filled in", async (field) => {
    expect(await post({ type: "object", properties: { field } }, {}, [{}])).toEqual([{}]);
  });

  test.each<[schema: { default: unknown }]>([
    [{ type: "number", default: 1 }],
    [{ type: ["string", "null"], default: null }],
    [{ type: "array", enum: [["a"]], default: ["a"] }],
    [{ default: "any" }],
  ] as never)("of %j is filled in", async (field) => {
    const filled = await post({ type: "object", properties: { field } }, {}, [{}]);
    expect(filled).toEqual([{ field: field.default }]);
  });
});

describe("a default of a required input", () => {
  test("is not filled in for a field of the body", async () => {
    const schema = { type: "object", required: ["field"], properties: { field: { ...string, default: "x" } } };
    expect(await post(schema, {}, [{}, { field: "y" }])).toEqual(['Body field "field" is required.', { field: "y" }]);
  });

  test.each([
    ["inline", { ...string, default: "x" }],
    ["a reference", ref("Version")],
  ])("is not filled in for a parameter whose schema is %s", async (_, schema) => {
    const parameters = [{ in: "query", name: "version", required: true, schema }];
    const paths = { "/x": { get: { operationId: "x", parameters, responses: anyJson } } };
    await using server = await serveEcho(paths, { components: { schemas: { Version: { ...string, default: "x" } } } });
    expect((await fetch(`${server.baseUrl}/x`)).status).toBe(400);
    expect((await fetch(`${server.baseUrl}/x?version=y`)).status).toBe(200);
  });
});

describe("a discriminator", () => {
  const Cat = { type: "object", properties: { kind: string, lives: { type: "integer" } } };
  const Dog = { type: "object", properties: { kind: string, tricks: { type: "integer" } } };
  const choice = (discriminator: object, keyword = "oneOf", names = ["Cat", "Dog"]) => {
    return { [keyword]: names.map(ref), discriminator };
  };
  const bodies = [
    { kind: "Cat", lives: 9 },
    { kind: "Dog", lives: "any" },
    { kind: "Cat", lives: "x" },
  ];

  test.each(["oneOf", "anyOf"])("of %s chooses among members that would all match", async (keyword) => {
    const pet = choice({ propertyName: "kind" }, keyword);
    expect(await post(pet, { Cat, Dog }, bodies)).toEqual([
      bodies[0],
      bodies[1],
      'Body field "lives" must be an integer.',
    ]);
  });

  test.each(["#/components/schemas/Cat", "Cat"])("maps values to the schema %s", async (target) => {
    const mapping = { cat: target, tom: target, dog: "#/components/schemas/Dog" };
    const pet = choice({ propertyName: "kind", mapping });
    expect(await post(pet, { Cat, Dog }, [{ kind: "tom", lives: "x" }, { kind: "dog" }, { kind: "Cat" }])).toEqual([
      'Body field "lives" must be an integer.',
      { kind: "dog" },
      'Body field "kind" must be one of: cat, tom, dog. Upper and lower case matter.',
    ]);
  });

  test.each([
    ["within another schema", "#/components/schemas/Pet/$defs/Cat"],
    ["with an anchor", "#Cat"],
  ])("chooses a schema %s, by its name or by the mapping", async (_title, $ref) => {
    const $defs = { Cat: { $anchor: "Cat", ...Cat }, Dog };
    const oneOf = [{ $ref }, { $ref: "#/components/schemas/Pet/$defs/Dog" }];
    const Pet = (mapping?: object) => ({ $defs, oneOf, discriminator: { propertyName: "kind", mapping } });
    expect(await post(ref("Pet"), { Pet: Pet() }, bodies)).toEqual([
      bodies[0],
      bodies[1],
      'Body field "lives" must be an integer.',
    ]);
    expect(await post(ref("Pet"), { Pet: Pet({ tom: $ref }) }, [{ kind: "tom" }, { kind: "Part1" }])).toEqual([
      { kind: "tom" },
      'Body field "kind" must be one of: tom, Dog.',
    ]);
  });

  describe("of values that are no strings or no names", () => {
    const member = (kind: object, name: string) => ({
      type: "object",
      required: ["kind", name],
      properties: { kind, [name]: { type: "integer" } },
    });
    const integer = (value: number) => ({ type: "integer", const: value });
    const boolean = (value: boolean) => ({ type: "boolean", const: value });
    const mapped = (first: string, second: string) => ({ [first]: "#/components/schemas/A", [second]: "B" });

    test.each<[string, [object, object], object | undefined, [unknown, unknown, unknown], string]>([
      ["integers", [integer(1), integer(2)], mapped("1", "2"), [1, 2, 3], "1, 2"],
      ["integers and no strings", [integer(1), integer(2)], mapped("1", "2"), [1, 2, "1"], "1, 2"],
      ["integers without mapping", [integer(1), integer(2)], undefined, [1, 2, 3], "1, 2"],
      ["integers without type", [{ const: 1 }, { const: 2 }], mapped("1", "2"), [1, 2, 3], "1, 2"],
      ["integers of an enumeration", [{ enum: [1, 3] }, { enum: [2] }], mapped("1", "2"), [1, 2, 3], "1, 2"],
      ["integers by their type alone", [{ type: "integer" }, { type: "integer" }], mapped("1", "2"), [1, 2, 3], "1, 2"],
      ["negative numbers and fractions", [{ const: -1 }, { const: 1.5 }], mapped("-1", "1.5"), [-1, 1.5, 1], "-1, 1.5"],
      ["booleans", [boolean(true), boolean(false)], mapped("true", "false"), [true, false, "true"], "true, false"],
      [
        "booleans as Python writes them",
        [boolean(true), boolean(false)],
        mapped("True", "False"),
        [true, false, "True"],
        "true, false",
      ],
      ["booleans without mapping", [boolean(true), boolean(false)], undefined, [true, false, 1], "true, false"],
      ["null", [{ const: null }, integer(2)], mapped("None", "2"), [null, 2, "None"], "null, 2"],
      [
        "nullable integers",
        [{ type: ["integer", "null"], enum: [1, null] }, integer(2)],
        mapped("1", "2"),
        [1, 2, null],
        "1, 2",
      ],
      ["integers and strings", [integer(1), { const: "2" }], mapped("1", "2"), [1, "2", 2], '1, "2"'],
      [
        "strings that are no names",
        [{ type: "string", enum: ["cat"] }, { const: "dog" }],
        undefined,
        ["cat", "dog", "B"],
        "cat, dog",
      ],
      ["integers, and strings by name", [integer(1), string], undefined, [1, "B", 2], '1, "B"'],
      [
        "integers or strings",
        [{ type: ["integer", "string"] }, { const: 2 }],
        mapped("1", "2"),
        ["1", 2, 3],
        '"1", 1, 2',
      ],
      ["integers of a reference", [ref("One"), { anyOf: [{ const: 2 }] }], mapped("1", "2"), [1, 2, 3], "1, 2"],
    ])("chooses by %s", async (_title, [one, two], mapping, [first, second, other], allowed) => {
      const schemas = { A: member(one, "a"), B: { allOf: [member(two, "b")] }, One: integer(1) };
      const pets = [
        { kind: first, a: 1 },
        { kind: second, b: 1 },
        { kind: other, a: 1 },
        { kind: second, a: 1 },
      ];
      for (const keyword of ["oneOf", "anyOf"])
        expect(await post(choice({ propertyName: "kind", mapping }, keyword, ["A", "B"]), schemas, pets)).toEqual([
          pets[0],
          pets[1],
          `Body field "kind" must be one of: ${allowed}.`,
          'Body field "b" is required.',
        ]);
    });

    test.each(["3.0.3", "3.1.0"])("chooses by a boolean without constants in OpenAPI %s", async (openapi) => {
      const kind = { type: "boolean" };
      const schemas = {
        Cat: { type: "object", properties: { kind, lives: { type: "integer" } } },
        Dog: { type: "object", properties: { kind } },
      };
      const pet = choice({ propertyName: "kind", mapping: { true: "Cat", false: "Dog" } });
      const [dog, cat] = [false, true].map((value) => ({ kind: value, lives: "x" }));
      expect(await post(pet, schemas, [dog, cat], openapi)).toEqual([dog, 'Body field "lives" must be an integer.']);
    });

    test("chooses among children that inherit from a parent that lists them", async () => {
      const Pet = {
        ...choice({ propertyName: "kind", mapping: { 1: "Cat", 2: "Dog" } }),
        properties: { kind: { type: "integer" } },
      };
      const child = (kind: number) => ({ allOf: [ref("Pet"), { properties: { kind: integer(kind) } }] });
      const pets = [{ kind: 1 }, { kind: 2 }, { kind: 3 }];
      expect(await post(ref("Pet"), { Pet, Cat: child(1), Dog: child(2) }, pets)).toEqual([
        ...pets.slice(0, 2),
        'Body field "kind" must be one of: 1, 2.',
      ]);
    });

    test.each<[string, string, (kind: number) => { query?: string; body?: string }]>([
      ["a form", "Body field", (kind) => ({ body: `kind=${kind}&b=1` })],
      ["a query", "Field", (kind) => ({ query: `pet[kind]=${kind}&pet[b]=1` })],
      ["JSON in a query", "Field", (kind) => ({ query: `json=${encodeURIComponent(`{"kind":${kind},"b":1}`)}` })],
    ])("chooses in %s", async (_title, subject, sent) => {
      const schemas = { A: member(integer(1), "a"), B: member(integer(2), "b") };
      const schema = choice({ propertyName: "kind", mapping: mapped("1", "2") }, "oneOf", ["A", "B"]);
      const parameters = [
        { in: "query", name: "pet", style: "deepObject", schema },
        { in: "query", name: "json", content: { "application/json": { schema } } },
      ];
      const requestBody = { content: { "application/x-www-form-urlencoded": { schema } } };
      const paths = { "/x": { post: { operationId: "x", parameters, requestBody, responses: anyJson } } };
      await using server = await serveEcho(paths, { components: { schemas } });
      const send = async (kind: number) => {
        const { query = "", body } = sent(kind);
        const given = body === undefined ? {} : { body: new URLSearchParams(body) };
        const response = await fetch(`${server.baseUrl}/x?${query}`, { method: "POST", ...given });
        const { query: read, body: form, message } = (await response.json()) as Record<string, unknown>;
        return message ?? form ?? Object.values(read as object)[0];
      };
      expect(await send(2)).toEqual({ kind: 2, b: 1 });
      expect(await send(3)).toMatch(new RegExp(`^${subject} "kind" .*must be one of: 1, 2\\.$`));
    });
  });

  test("chooses in a field and in a list", async () => {
    const pets = { type: "array", items: choice({ propertyName: "kind" }) };
    expect(
      await post({ type: "object", properties: { pets } }, { Cat, Dog }, [
        { pets: bodies.slice(0, 2) },
        { pets: bodies },
      ]),
    ).toEqual([{ pets: bodies.slice(0, 2) }, 'Body field "pets.2.lives" must be an integer.']);
  });
});

describe("a reference", () => {
  test("to a part of another schema is followed", async () => {
    const Owner = { type: "object", properties: { address: { type: "object", properties: { city: string } } } };
    const Pet = { type: "object", properties: { city: ref("Owner/properties/address/properties/city") } };
    expect(await post(ref("Pet"), { Owner, Pet, Part1: string }, [{ city: "Ulm" }, { city: 1 }])).toEqual([
      { city: "Ulm" },
      'Body field "city" must be a string.',
    ]);
  });

  test("to the schema of a response is followed", async () => {
    const schema = { $ref: "#/paths/~1x/post/responses/200/content/application~1json/schema" };
    expect(await post({ type: "object", properties: { a: schema } }, {}, [{ a: 1 }])).toEqual([{ a: 1 }]);
  });

  test.each(["id", "$id"])("to a component called %s is followed", async (name) => {
    const schema = { type: "object", properties: { id: ref(name) } };
    expect(await post(schema, { [name]: { type: "integer" } }, [{ id: 1 }, { id: "x" }])).toEqual([
      { id: 1 },
      'Body field "id" must be an integer.',
    ]);
  });
});

test("an unknown format is reported once, not for each field", async () => {
  const warnings: string[] = [];
  const listener = ({ message }: Error) => void warnings.push(message);
  process.on("warning", listener);
  const odd = { ...string, format: "moon-phase" };
  const schema = { type: "object", properties: { a: odd, b: odd } };
  expect(await post(schema, {}, [{ a: "x" }])).toEqual([{ a: "x" }]);
  expect(await post(schema, {}, [{ b: "x" }])).toEqual([{ b: "x" }]);
  await new Promise(setImmediate); // warnings are emitted in the next turn
  process.off("warning", listener);
  expect(warnings).toEqual(['The format "moon-phase" is unknown, so values are not validated by it.']);
});

/** For each format: values that its RFC allows, and values that it does not. */
const FORMATS: [format: string, valid: string[], invalid: string[]][] = [
  ["date", ["2024-02-29"], ["2026-02-29", "2026-04-31", "2026-13-01", "2026-1-1"]],
  [
    "date-time",
    ["2026-01-01T00:00:00Z", "2016-12-31T23:59:60Z", "2026-01-01t00:00:00.5+02:00"],
    ["2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T12:00:60Z", "2026-01-01T00:00:00"],
  ],
  ["time", ["00:00:00Z"], ["24:00:00Z", "00:00:00"]],
  ["duration", ["P1D", "PT1H"], ["P", "P1W2D", "1D"]],
  ["email", ["a@b.c"], ["a", "a@", "a b@c.d"]],
  ["hostname", ["a.b"], ["-a.b", "a_b", `a.${"b".repeat(64)}`]],
  ["ipv4", ["192.0.2.1"], ["256.1.1.1", "1.2.3", "01.2.3.4"]],
  ["ipv6", ["::1"], ["1::2::3", "12345::"]],
  ["uri", ["http://a", "urn:x:y"], ["/a", "a b", "http://a/é"]],
  ["uri-reference", ["/a"], ["\\", "#a#b"]],
  ["uri-template", ["/{a}"], ["/{a"]],
  ["json-pointer", ["/a~1"], ["a", "/~2"]],
  ["regex", ["a+"], ["("]],
  ["uuid", ["00000000-0000-4000-8000-000000000000"], ["0"]],
  ["byte", ["eA=="], ["eA=", "?"]],
];

test.each(FORMATS)("the format %s accepts what its RFC allows, and nothing else", async (format, valid, invalid) => {
  const rejected = expect.stringMatching(/^The request body must /) as string;
  expect(await post({ ...string, format }, {}, [...valid, ...invalid])).toEqual([
    ...valid,
    ...invalid.map(() => rejected),
  ]);
});

describe("a schema that is named by", () => {
  const numbers = [{ a: 1 }, { a: "x" }];
  const accepted = [{ a: 1 }, 'Body field "a" must be an integer.'];

  test("$id or $anchor is found anywhere in the document", async () => {
    const Whole = {
      $id: "https://example.com/whole",
      properties: { a: { $ref: "#whole" } },
      $defs: { x: { $anchor: "whole", type: "integer" } },
    };
    expect(await post(ref("Whole"), { Whole }, numbers)).toEqual(accepted);
    expect(await post({ $ref: "https://example.com/whole" }, { Whole }, numbers)).toEqual(accepted);
    const schema = { properties: { a: { $ref: "https://example.com/whole#whole" } } };
    expect(await post(schema, { Whole }, numbers)).toEqual(accepted);
  });

  test("$anchor or a pointer is found below its own $id, although a copy has the same one", async () => {
    const copy = (type: string) => ({
      $id: "https://example.com/copy",
      properties: { a: { $ref: "#x" }, b: { $ref: "copy#/$defs/x" } },
      $defs: { x: { $anchor: "x", type } },
    });
    const schema = { properties: { one: copy("integer"), other: copy("string") } };
    const valid = { one: { a: 1, b: 1 }, other: { a: "x", b: "x" } };
    expect(await post(schema, {}, [valid, { one: { a: "x" } }, { other: { b: 1 } }])).toEqual([
      valid,
      'Body field "one.a" must be an integer.',
      'Body field "other.b" must be a string.',
    ]);
  });

  test("$anchor is found by $dynamicRef, although another schema has it as its $dynamicAnchor", async () => {
    const Item = { $dynamicAnchor: "item", type: "string" };
    const List = {
      $id: "https://example.com/list",
      items: { $dynamicRef: "#item" },
      $defs: { x: { $anchor: "item", type: "integer" } },
    };
    expect(await post({ properties: { a: ref("List") } }, { Item, List }, [{ a: [1] }, { a: ["x"] }])).toEqual([
      { a: [1] },
      'Body field "a.0" must be an integer.',
    ]);
  });

  test("$dynamicAnchor is found if it is the only one", async () => {
    const properties = { a: { type: "integer" }, of: { items: { $dynamicRef: "#node" } } };
    const Tree = { $dynamicAnchor: "node", type: "object", properties };
    expect(await post(ref("Tree"), { Tree }, [{ of: [{ a: 1 }] }, { of: [{ a: "x" }] }])).toEqual([
      { of: [{ a: 1 }] },
      'Body field "of.0.a" must be an integer.',
    ]);
    const Strict = { $dynamicAnchor: "node", ...ref("Tree"), unevaluatedProperties: false };
    const [fault] = await post(ref("Strict"), { Tree, Strict }, [{}]);
    expect(fault).toBeUndefined(); // 500: `ready` and a warning name the operation
  });
});

describe("unevaluated fields and items beside a reference", () => {
  const Base = { type: "object", required: ["a"], properties: { a: { type: "integer" } } };
  const closed = { ...ref("Base"), properties: { b: string }, unevaluatedProperties: false };
  const branch = (k: number, name: string) => ({ required: ["k"], properties: { k: { const: k }, [name]: {} } });
  const rejected = expect.stringContaining("is not known") as string;

  test.each<[where: string, schema: object, schemas: object]>([
    ["in the schema of the body", closed, {}],
    ["in a component", ref("Closed"), { Closed: closed }],
    [
      "in a component that another one closes",
      { ...ref("Open"), unevaluatedProperties: false },
      { Open: { ...ref("Base"), properties: { b: string } } },
    ],
    ["whose target is readOnly", { ...closed, ...ref("Set") }, { Set: { ...Base, readOnly: true } }],
  ])("are validated with the reference %s", async (_where, schema, schemas) => {
    const bodies = [{ a: 1, b: "x" }, { a: 1 }, { a: 1, c: 1 }];
    expect(await post(schema, { Base, ...schemas }, bodies)).toEqual([bodies[0], bodies[1], rejected]);
  });

  test("are validated with the reference in a field, where the component has keywords beside its own reference", async () => {
    const bodies = [{ of: { a: 1, b: "x" } }, { of: { a: 1, c: 1 } }];
    const schema = { type: "object", properties: { of: ref("Closed") } };
    expect(await post(schema, { Base, Closed: closed }, bodies)).toEqual([bodies[0], rejected]);
  });

  test.each<[keyword: string, beside: object]>([
    ["oneOf", { oneOf: [branch(1, "d"), branch(2, "e")] }],
    ["anyOf", { anyOf: [branch(1, "d"), branch(2, "e")] }],
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    ["if", { if: { properties: { k: { const: 1 } } }, then: branch(1, "d"), else: branch(2, "e") }],
  ])("are validated with the branch of %s that applies", async (_keyword, beside) => {
    const schema = { ...ref("Base"), ...beside, unevaluatedProperties: false };
    const bodies = [
      { a: 1, k: 1, d: 1 },
      { a: 1, k: 2, e: 1 },
      { a: 1, k: 2, d: 1 },
    ];
    expect(await post(schema, { Base }, bodies)).toEqual([bodies[0], bodies[1], rejected]);
  });

  test("are keywords, and names of fields elsewhere", async () => {
    const properties = { unevaluatedProperties: { type: "boolean" }, if: string, $ref: string };
    const bodies = [{ unevaluatedProperties: true, if: "x", $ref: "x" }, { if: 1 }];
    expect(await post({ properties, additionalProperties: false }, {}, bodies)).toEqual([
      bodies[0],
      'Body field "if" must be a string.',
    ]);
  });

  test("are validated with the items of the reference", async () => {
    const schema = { ...ref("Tuple"), unevaluatedItems: false };
    expect(await post(schema, { Tuple: { type: "array", prefixItems: [string] } }, [["a"], ["a", 1]])).toEqual([
      ["a"],
      "The request body must have at most 1 item.",
    ]);
  });
});

describe("$id is the base of references", () => {
  const base = "https://example.com/schemas/order.json";
  const bodies = [{ n: "x" }, { n: 1 }];
  const validated = [bodies[0], 'Body field "n" must be a string.'];
  const named = ($ref: string, more: object = {}) => ({ properties: { n: { $ref } }, ...more });

  test.each<[reference: string, schemas: object]>([
    ["a pointer below it", { S: named("#/$defs/name", { $id: base, $defs: { name: string } }) }],
    ["an anchor below it", { S: named("#name", { $id: base, $defs: { x: { $anchor: "name", ...string } } }) }],
    [
      "a relative URI",
      { S: named("name.json", { $id: base }), N: { $id: "https://example.com/schemas/name.json", ...string } },
    ],
    ["an absolute URI", { S: named("https://example.com/name"), N: { $id: "https://example.com/name", ...string } }],
    ["a URI and a pointer", { S: named(`${base}#/$defs/name`), O: { $id: base, $defs: { name: string } } }],
    [
      "an $id relative to another one",
      { S: named("parts/name.json", { $id: base, $defs: { x: { $id: "parts/name.json", ...string } } }) },
    ],
    [
      "a URN",
      { S: named("#/$defs/name", { $id: "urn:uuid:00000000-0000-4000-8000-000000000000", $defs: { name: string } }) },
    ],
    [
      "a pointer from the root, as many documents write it",
      { S: named("#/components/schemas/N", { $id: base }), N: string },
    ],
    [
      "one of two equal anchors",
      {
        S: named("#name", { $id: base, $defs: { x: { $anchor: "name", ...string } } }),
        T: { $id: "urn:t", $anchor: "name", type: "integer" },
      },
    ],
  ])("that are %s", async (_reference, schemas) => {
    expect(await post(ref("S"), schemas as Record<string, object>, bodies)).toEqual(validated);
  });

  test("with # alone", async () => {
    const Tree = { $id: base, type: "object", properties: { n: string, of: { $ref: "#" } } };
    expect(await post(ref("Tree"), { Tree }, [{ of: { n: "x" } }, { of: { n: 1 } }])).toEqual([
      { of: { n: "x" } },
      'Body field "of.n" must be a string.',
    ]);
  });

  test("in the mapping of a discriminator", async () => {
    const pet = (type: object) => ({ type: "object", properties: { kind: string, n: type } });
    const Pet = {
      $id: "https://example.com/pet",
      oneOf: [{ $ref: "cat" }, { $ref: "dog" }],
      discriminator: { propertyName: "kind", mapping: { c: "cat", d: "dog" } },
    };
    const Cat = { $id: "https://example.com/cat", ...pet(string) };
    const Dog = { $id: "https://example.com/dog", ...pet({ type: "integer" }) };
    expect(
      await post(ref("Pet"), { Pet, Cat, Dog }, [
        { kind: "c", n: "x" },
        { kind: "d", n: 1 },
      ]),
    ).toEqual([
      { kind: "c", n: "x" },
      { kind: "d", n: 1 },
    ]);
  });

  test.each<[fault: string, schemas: object, message: string]>([
    [
      "no target",
      { S: named("other.json", { $id: base }) },
      "#/components/schemas/S/properties/n: The reference other.json leads to no schema",
    ],
    [
      "several targets",
      {
        S: named("n", { $id: base }),
        N: { $id: "https://example.com/schemas/n" },
        M: { $id: "https://example.com/schemas/n" },
      },
      "The reference n fits 2 schemas",
    ],
    [
      "an $id that is no URI",
      { S: { $id: "https://[", ...string } },
      "#/components/schemas/S: The $id https://[ is not a URI reference",
    ],
    [
      "a relative $id below a URN",
      { S: { $id: "urn:s", $defs: { a: { $id: "a" } } } },
      "#/components/schemas/S/$defs/a: The $id a is not a URI reference below urn:s",
    ],
  ])("and %s is an error at start that names the place", async (_fault, schemas, message) => {
    await expect(post(ref("S"), schemas as Record<string, object>, [{}])).rejects.toThrow(message);
  });
});

test("inputs that the types require because of a default reach the handler even if the client did not send them", async () => {
  const sized = (more = {}) => ({
    type: "object",
    required: ["name"],
    properties: { name: { type: "string" }, size: { type: "integer", default: 1 }, ...more },
  });
  const properties = { parent: ref("Nested"), tail: { type: "string", default: "long" } };
  const schemas = {
    Dog: sized({ example: ref("Nested"), pups: { type: "array", items: sized() }, merged: { allOf: [sized()] } }),
    Nested: { type: "object", properties },
  };
  const parameter = (name: string, value: number) => ({
    name,
    in: "query",
    schema: { type: "integer", default: value },
  });
  const addDog = {
    operationId: "addDog",
    parameters: [{ $ref: "#/components/parameters/Limit" }],
    requestBody: { content: { "application/json": { schema: ref("Dog") } } },
    responses: anyJson,
  };
  const components = { schemas, parameters: { Limit: parameter("limit", 20) } };
  await using server = await serveEcho(
    { "/dogs": { parameters: [parameter("page", 1)], post: addDog } },
    { components },
  );
  const sent = { name: "Rex", example: { parent: {} }, pups: [{ name: "Bo" }], merged: { name: "Mo" } };
  const response = await fetch(`${server.baseUrl}/dogs`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(sent),
  });
  expect(await response.json()).toMatchObject({
    query: { page: 1, limit: 20 },
    body: {
      size: 1,
      example: { tail: "long", parent: { tail: "long" } },
      pups: [{ name: "Bo", size: 1 }],
      merged: { name: "Mo", size: 1 },
    },
  });
});
