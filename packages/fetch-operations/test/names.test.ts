import { expect, test } from "vitest";
import { compile, generatedClient } from "./generated-client.ts";
import { integer, json, object, query, ref, string } from "./schemas.ts";

const ODD_NAMES = [
  "\u00000\u0000",
  "\u00001",
  "\u2028",
  'q"',
  "it's",
  "\\",
  "*/",
  "`${x}`",
  "</script>",
  "a#b",
  "%41",
  "__proto__",
  "constructor",
];

const bearer = { type: "http", scheme: "bearer" };
const schemeOf = (name: string) => (name in {} ? `key of ${name}` : name);

/** A contract with an operation, parameters, a schema and a security scheme of each name. */
function documentOfNames(names: string[]) {
  const refTo = (name: string) => ref(encodeURIComponent(name.replaceAll("/", "~1")));
  const paths = names.map((name, index) => {
    const operation = {
      operationId: `call ${index} ${name}`,
      summary: `DataOf ItemOf PagedOperation ${name}`,
      security: [{ [schemeOf(name)]: [] }],
      parameters: [query(name), { ...query(name), in: "cookie" }, query(`only ${name}`)],
      requestBody: {
        required: true,
        ...json(object({ [name]: refTo(name), list: { type: "array", items: refTo(name) } })),
      },
      responses: { 200: json(refTo(name)) },
    };
    return [`/${index}`, { post: operation }];
  });
  const schemas = names.map((name) => [
    name,
    {
      ...object({ at: { type: "string", format: "date-time" }, kind: { enum: names }, [name]: string }),
      description: name,
    },
  ]);
  const recursive = { anyOf: [string, { type: "array", items: refTo("tree\u00001") }] };
  return {
    openapi: "3.1.1",
    info: { title: "T", version: "1" },
    paths: Object.fromEntries(paths) as object,
    components: {
      schemas: { ...Object.fromEntries(schemas), ["tree\u00001"]: recursive } as object,
      securitySchemes: Object.fromEntries(names.map((name) => [schemeOf(name), bearer])) as object,
    },
  };
}

test("control characters, quotes, ends of comments and names of every object make a client that compiles and calls", async () => {
  using client = await generatedClient(documentOfNames(ODD_NAMES), {
    features: ["testing", "contract-check", "react-query", "swr", "enums", "errors"],
    dates: "Date",
  });
  expect(compile(client, "")).toBe("");
  const at = "2030-12-05T00:00:00.000Z";
  for (const [index, name] of ODD_NAMES.entries()) {
    const sent: [url: string, ...headers: (string | null)[]][] = [];
    const own = client.create({
      baseUrl: "https://a.test",
      credentials: { [schemeOf(name)]: `key-${index}` },
      fetch: ({ url, headers }: Request) => {
        sent.push([url, headers.get("Authorization"), headers.get("Cookie")]);
        return Promise.resolve(Response.json({ at }));
      },
    });
    const operation = Object.keys(client.operations)[index]!;
    const result = await own[operation]!({
      [`query.${name}`]: "a",
      [`cookie.${name}`]: "b",
      [`only ${name}`]: "c",
      body: {},
    });
    const encoded = encodeURIComponent(name);
    expect([result.error, result.data]).toEqual([undefined, { at: new Date(at) }]);
    expect(sent).toEqual([
      [new URL(`https://a.test/${index}?${encoded}=a&only%20${encoded}=c`).href, `Bearer key-${index}`, `${encoded}=b`],
    ]);
  }
});

test("operations that differ in case or punctuation, and parameters of one name in all locations, have types of their own", async () => {
  const schemas = [string, integer, { type: "boolean" }, { type: "number" }];
  const places = ["path", "query", "header", "cookie"];
  const parameters = places.map((place, index) => ({ name: "id", in: place, required: true, schema: schemas[index] }));
  const operationOf = (operationId: string, schema: object) => ({
    operationId,
    parameters,
    responses: { 200: json(schema) },
  });
  using client = await generatedClient({
    openapi: "3.1.1",
    info: { title: "T", version: "1" },
    paths: {
      "/{id}": {
        get: operationOf("get-pet", string),
        put: operationOf("getPet", integer),
        post: operationOf("GetPet", { type: "boolean" }),
      },
    },
  });
  const program = `import { createThing, type Data, type GetPetInput, type GetPet2Input } from "./index.ts";
const thing = createThing({ baseUrl: "" });
const input: GetPetInput & GetPet2Input = { "path.id": "a", "query.id": 1, "header.id": true, "cookie.id": 0.5 };
const text: string = await thing.getPet2(input).orThrow();
const whole: number = await thing.getPet(input).orThrow();
const isPet: Data<"GetPet"> = await thing.GetPet(input).orThrow();
void [text, whole, isPet === true];
`;
  expect(compile(client, program)).toBe("");
});
