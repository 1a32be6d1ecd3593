import {
  answer,
  body,
  type ChangeKind,
  document,
  field,
  limit,
  NAME,
  operation,
  query,
  STRING,
} from "./change-kind.ts";

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
    messages: ["documentation info: `version` changes. A description promises nothing."],
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
