import {
  answer,
  body,
  CAT,
  type ChangeKind,
  document,
  DOG,
  field,
  limit,
  NAME,
  NAMED,
  operation,
  query,
  ref,
  STRING,
  tree,
} from "./change-kind.ts";

/** Two components with a required field of one value each. */
const kinds = (ofCat: string) => {
  const withKind = (value: string) => ({ type: "object", required: ["kind"], properties: { kind: { enum: [value] } } });
  return { schemas: { Cat: withKind(ofCat), Dog: withKind("Dog") } };
};
const oneOfKinds = { oneOf: [ref("Cat"), ref("Dog")] };
const discriminated = (mapping: Record<string, string>) => ({
  ...oneOfKinds,
  discriminator: { propertyName: "kind", mapping },
});

/** The changes to `allOf`, `anyOf`, `oneOf` and `not`. */
export const COMBINED_SCHEMAS: Record<string, ChangeKind> = {
  "the same schema is wrapped in allOf": {
    ...body(field(ref("Name")), field({ allOf: [ref("Name")] }), { schemas: { Name: STRING } }),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "a schema is split by allOf": {
    ...answer(
      { type: "object", properties: { a: STRING, b: STRING } },
      {
        allOf: [
          { type: "object", properties: { a: STRING } },
          { type: "object", properties: { b: STRING } },
        ],
      },
    ),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "a schema becomes a component": {
    ...body(field(STRING), field(ref("Name")), {}, { schemas: { Name: STRING } }),
    messages: ["additive components/schemas/Name: The schema is added. Generated clients get one more type."],
    at: ["components/schemas/Name"],
  },
  "a component is renamed": {
    ...body(ref("Name"), ref("Title"), { schemas: { Name: STRING } }, { schemas: { Title: STRING } }),
    messages: [
      "breaking components/schemas/Name: The schema is removed. Generated clients name a type after it.",
      "additive components/schemas/Title: The schema is added. Generated clients get one more type.",
    ],
    at: ["nowhere", "components/schemas/Title"],
  },
  "a member of allOf narrows a request": {
    ...body({ allOf: [NAME, { minProperties: 1 }] }, { allOf: [NAME, { minProperties: 2 }] }),
    messages: [
      "breaking POST /pets: Request body: `minProperties` changes from 1 to 2. Narrows the request: the service rejects requests that clients may send today.",
    ],
    at: ["requestBody/content/application/json/schema/allOf/1/minProperties"],
  },
  "one of two patterns in allOf changes": {
    ...body({ allOf: [{ pattern: "a" }, { pattern: "b" }] }, { allOf: [{ pattern: "c" }, { pattern: "b" }] }),
    messages: [
      'breaking POST /pets: Request body: `pattern` changes from "a" to "c". Changes the request: the service may reject requests that clients send today.',
    ],
    at: ["requestBody/content/application/json/schema/allOf/0/pattern"],
  },
  "an alternative is added to a request": {
    ...body({ oneOf: [CAT] }, { oneOf: [CAT, DOG] }),
    messages: [
      "additive POST /pets: Request body: the alternative object is added. Widens the request: the service accepts more.",
    ],
    at: ["requestBody/content/application/json/schema/oneOf"],
  },
  "an alternative is added to a response": {
    ...answer({ oneOf: [CAT] }, { oneOf: [CAT, DOG] }),
    messages: [
      "breaking POST /pets: Response 200: the alternative object is added. Widens the response: clients may not understand the new values.",
    ],
    at: ["responses/200/content/application/json/schema/oneOf"],
  },
  "an alternative is removed from a request": {
    ...body({ anyOf: [CAT, DOG] }, { anyOf: [DOG] }),
    messages: [
      "breaking POST /pets: Request body: the alternative object is removed. Narrows the request: the service rejects requests that clients may send today.",
    ],
    at: ["nowhere"],
  },
  "an alternative is removed from a response": {
    ...answer({ anyOf: [CAT, DOG] }, { anyOf: [DOG] }),
    messages: [
      "additive POST /pets: Response 200: the alternative object is removed. Narrows the response: the service promises more.",
    ],
    at: ["nowhere"],
  },
  "a schema becomes one of two in a response": {
    ...answer(CAT, { oneOf: [CAT, DOG] }),
    messages: [
      "breaking POST /pets: Response 200: the alternative object is added. Widens the response: clients may not understand the new values.",
    ],
    at: ["responses/200/content/application/json/schema/oneOf"],
  },
  "alternatives are listed in another order": {
    ...answer({ oneOf: [CAT, DOG] }, { oneOf: [DOG, CAT] }),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "an alternative of a response changes": {
    ...answer(
      { oneOf: [ref("Cat"), ref("Dog")] },
      { oneOf: [ref("Dog"), ref("Cat")] },
      { schemas: { Cat: CAT, Dog: DOG } },
      { schemas: { Cat: { type: "object", required: ["kind"], properties: CAT.properties }, Dog: DOG } },
    ),
    messages: [
      'breaking POST /pets: Response 200, field "claws" becomes optional. Widens the response: clients may not understand the new values.',
    ],
    at: ["nowhere"],
  },
  "oneOf of alternatives that exclude each other becomes anyOf": {
    ...answer({ oneOf: [CAT, DOG] }, { anyOf: [CAT, DOG] }),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "anyOf of alternatives that exclude each other becomes oneOf": {
    ...body({ anyOf: [CAT, DOG] }, { oneOf: [CAT, DOG] }),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "oneOf becomes anyOf in a response": {
    ...answer({ oneOf: [NAME, NAMED] }, { anyOf: [NAME, NAMED] }),
    messages: [
      "breaking POST /pets: Response 200: a `oneOf` with overlapping members changes. Widens the response: clients may not understand the new values.",
    ],
    at: ["nowhere"],
  },
  "anyOf becomes oneOf in a request": {
    ...body({ anyOf: [NAME, NAMED] }, { oneOf: [NAME, NAMED] }),
    messages: [
      "breaking POST /pets: Request body: a `oneOf` with overlapping members changes. Narrows the request: the service rejects requests that clients may send today.",
    ],
    at: ["requestBody/content/application/json/schema/oneOf"],
  },
  "anyOf becomes oneOf in a response": {
    ...answer({ anyOf: [NAME, NAMED] }, { oneOf: [NAME, NAMED] }),
    messages: [
      "additive POST /pets: Response 200: a `oneOf` with overlapping members changes. Narrows the response: the service promises more.",
    ],
    at: ["responses/200/content/application/json/schema/oneOf"],
  },
  "a discriminator names another field": {
    ...answer(
      { oneOf: [CAT, DOG], discriminator: { propertyName: "a" } },
      { oneOf: [CAT, DOG], discriminator: { propertyName: "b" } },
    ),
    messages: [
      "breaking POST /pets: Response 200: `discriminator` changes. Changes the response: clients may not understand the new values.",
    ],
    at: ["responses/200/content/application/json/schema/discriminator"],
  },
  "a discriminator is added whose values the alternatives require already": {
    ...answer(oneOfKinds, discriminated({ mapped: "#/components/schemas/Cat" }), kinds("mapped"), kinds("mapped")),
    messages: [
      "documentation POST /pets: Response 200: `discriminator` is added. The values of the field already tell the alternatives apart.",
    ],
    at: ["responses/200/content/application/json/schema/discriminator"],
  },
  "a discriminator is added whose values are not those of the alternatives": {
    ...answer(oneOfKinds, discriminated({}), kinds("mapped"), kinds("mapped")),
    messages: [
      "breaking POST /pets: Response 200: `discriminator` is added. Changes the response: clients may not understand the new values.",
    ],
    at: ["responses/200/content/application/json/schema/discriminator"],
  },
  "`dependentSchemas` that only require a field become `dependentRequired`": {
    ...body(
      { type: "object", dependentSchemas: { a: { required: ["b"] } } },
      { type: "object", dependentRequired: { a: ["b"] } },
    ),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "a schema that contains itself changes": {
    ...answer(ref("Tree"), ref("Tree"), tree(STRING), tree({ ...STRING, maxLength: 10 })),
    messages: [
      'breaking POST /pets: Response 200, field "name": `maxLength` changes from 9 to 10. Widens the response: clients may not understand the new values.',
    ],
    at: ["components/schemas/Tree/properties/name/maxLength"],
  },
  "a component of a list in a response becomes less strict": {
    ...answer(
      { type: "array", items: ref("Pet") },
      { type: "array", items: ref("Pet") },
      { schemas: { Pet: NAMED } },
      { schemas: { Pet: NAME } },
    ),
    messages: [
      'breaking POST /pets: Response 200, field "[].name" becomes optional. Widens the response: clients may not understand the new values.',
    ],
    at: ["nowhere"],
  },
};

/** The changes to descriptions and other prose. */
export const DOCUMENTATION: Record<string, ChangeKind> = {
  "a description changes": {
    ...operation({ description: "Adds." }, { description: "Adds one." }),
    messages: ["documentation POST /pets: `description` changes. A description promises nothing."],
    at: ["description"],
  },
  "a field's description changes": {
    ...body(field({ ...STRING, description: "a" }), field({ ...STRING, description: "b" })),
    messages: [
      "documentation POST /pets: `description` of requestBody/content/application/json/schema/properties/name changes. A description promises nothing.",
    ],
    at: ["requestBody/content/application/json/schema/properties/name/description"],
  },
  "an example changes": {
    ...query([limit({ example: 1 })], [limit({ example: 2 })]),
    messages: ["documentation POST /pets: `example` of parameters/0 changes. A description promises nothing."],
    at: ["parameters/0/example"],
  },
  "an example is added": {
    ...answer({ ...NAME }, { ...NAME, examples: [{ name: "Rex" }] }),
    messages: [
      "documentation POST /pets: `examples` of responses/200/content/application/json/schema is added. A description promises nothing.",
    ],
    at: ["responses/200/content/application/json/schema/examples"],
  },
  "a tag is described": {
    ...document({}, { tags: [{ name: "Pets", description: "Animals." }] }),
    messages: ["documentation the document: `tags` is added. A description promises nothing."],
    at: ["tags"],
  },
  "an extension is added": {
    ...operation({}, { "x-owner": "shop" }),
    messages: ["documentation POST /pets: `x-owner` is added. A description promises nothing."],
    at: ["x-owner"],
  },
  "the version is raised": {
    ...document({}, { info: { title: "Shop", version: "1.0.1" } }),
    messages: ["documentation info: `version` changes. It promises nothing by itself."],
    at: ["info/version"],
  },
  "a field is called description": {
    ...body({ type: "object", properties: { description: STRING } }, { type: "object", properties: {} }),
    messages: [
      'breaking POST /pets: Request body, field "description" is removed. The service rejects or ignores values that clients may send today.',
    ],
    at: ["nowhere"],
  },
};
