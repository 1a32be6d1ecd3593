import { text } from "node:stream/consumers";
import type { FastifyContentTypeParser, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { invalidRequest } from "./peer.ts";

const status = { type: "string", enum: ["available", "pending", "sold"] };

const petSchema = {
  type: "object",
  required: ["id", "name", "categoryId", "status"],
  properties: { id: { type: "integer" }, name: { type: "string" }, categoryId: { type: "integer" }, status },
};

const newPetSchema = {
  type: "object",
  required: ["name", "categoryId"],
  additionalProperties: false,
  properties: {
    name: { type: "string", minLength: 1, maxLength: 255, pattern: "^[^\\p{Cc}\\p{Cs}]*$" },
    categoryId: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    status: { ...status, default: "available" },
  },
};

const listQuerySchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
    status,
    cursor: { type: "string", minLength: 1, maxLength: 64, pattern: "^[A-Za-z0-9_-]+$" },
  },
};

const petIdSchema = {
  type: "object",
  required: ["petId"],
  properties: {
    petId: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  },
};

const errorSchema = {
  type: "object",
  required: ["code", "message", "status"],
  properties: { code: { type: "string" }, message: { type: "string" }, status: { type: "integer" } },
};

const failures = { 400: errorSchema, 401: errorSchema, 403: errorSchema, 404: errorSchema };

/** The schemas of the three operations, as written for Fastify. */
export const listSchema = {
  querystring: listQuerySchema,
  response: { 200: { type: "array", items: petSchema }, ...failures },
};
export const createSchema = { body: newPetSchema, response: { 201: petSchema, ...failures } };
export const getSchema = { params: petIdSchema, response: { 200: petSchema, ...failures } };

/** Responds with 400 to a request that does not match its schema. */
export function refuse(error: FastifyError, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error.validation === undefined) return reply.send(error);
  return reply.code(400).send(invalidRequest(explain(error)));
}

function explain({ validation = [], validationContext }: FastifyError): string {
  const [first] = validation;
  const name = first?.instancePath.slice(1);
  const subject = validationContext === "querystring" ? `Query parameter "${name}"` : `Body field "${name}"`;
  return `${subject} ${first?.message}.`;
}

/** Makes an app read JSON bodies synchronously if they have arrived. */
export function readBodiesAtOnce(app: {
  getDefaultJsonParser: FastifyInstance["getDefaultJsonParser"];
  addContentTypeParser: (type: string, parser: FastifyContentTypeParser) => unknown;
}): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", (request, payload, done) => {
    if (payload.complete) {
      return void parseJson(request, String(payload.read(payload.readableLength) ?? ""), done);
    }
    text(payload).then((body) => void parseJson(request, body, done), done);
  });
}
