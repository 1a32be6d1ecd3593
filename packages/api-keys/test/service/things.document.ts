import type { OpenApiDocument } from "express-operations";

const failure = {
  description: "A failure.",
  headers: { "Retry-After": { schema: { type: "integer" } } },
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
};
const tag = { ETag: { schema: { type: "string" } } };
const unchanged = { description: "Unchanged.", headers: tag };
const thing = { $ref: "#/components/schemas/Thing" };

/** Visible characters only, as in names of the contract and in `Idempotency-Key`. */
const NAME = { type: "string", minLength: 1, maxLength: 255, pattern: "^[^\\u0000-\\u001f\\u007f]*$" };
const IDEMPOTENCY_KEY = { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\u0021-\\u007e]*$" };

/** The contract of the whole service in tests: pages of things, one thing, and a creation with `Idempotency-Key`. */
export const document: OpenApiDocument & {
  info: { title: string; version: string };
  servers: object[];
  components: Record<string, object>;
} = {
  openapi: "3.1.0",
  info: { title: "Things", version: "1.2.3" },
  servers: [{ url: "https://things.example/v1" }],
  paths: {
    "/things": {
      get: {
        operationId: "listThings",
        security: [{ bearerAuth: ["things:read"] }],
        parameters: [
          { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 100, default: 20 } },
          { name: "cursor", in: "query", schema: { type: "string", minLength: 1, maxLength: 100 } },
        ],
        responses: {
          200: {
            description: "A page of things.",
            headers: { ...tag, Link: { schema: { type: "string" } } },
            content: { "application/json": { schema: { type: "array", items: thing } } },
          },
          304: unchanged,
          default: failure,
        },
      },
      post: {
        operationId: "createThing",
        security: [{ bearerAuth: ["things:write"] }],
        parameters: [{ name: "Idempotency-Key", in: "header", schema: IDEMPOTENCY_KEY }],
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: {
                type: "object",
                required: ["name"],
                properties: { name: NAME },
                additionalProperties: false,
                examples: [{ name: "cup" }],
              },
            },
          },
        },
        responses: {
          201: {
            description: "The thing.",
            headers: { "Idempotency-Replayed": { schema: { type: "string", enum: ["true"] } } },
            content: { "application/json": { schema: thing } },
          },
          default: failure,
        },
      },
    },
    "/things/{thingId}": {
      get: {
        operationId: "getThing",
        security: [{ bearerAuth: ["things:read"] }],
        parameters: [
          { name: "thingId", in: "path", required: true, schema: { type: "integer", minimum: 1, maximum: 1e15 } },
        ],
        responses: {
          200: { description: "The thing.", headers: tag, content: { "application/json": { schema: thing } } },
          304: unchanged,
          default: failure,
        },
      },
    },
  },
  components: {
    securitySchemes: { bearerAuth: { type: "http", scheme: "bearer" } },
    schemas: {
      Thing: {
        type: "object",
        required: ["id", "name"],
        properties: { id: { type: "integer" }, name: NAME },
        additionalProperties: false,
      },
      Error: {
        type: "object",
        required: ["code", "message", "status"],
        properties: { code: { type: "string" }, message: { type: "string" }, status: { type: "integer" } },
        additionalProperties: false,
      },
    },
  },
};
