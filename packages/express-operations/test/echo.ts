import { runInNewContext } from "node:vm";
import express, { type RequestHandler } from "express";
import { operationsOf } from "openapi-document";
import { implement, type OpenApiDocument, type SecurityHandler, type UploadedFile } from "../src/index.ts";
import { listen } from "./listen.ts";

/** A response of any JSON. */
export const anyJson = { 200: { description: "", content: { "application/json": { schema: {} } } } };

/** Thenables that are not native promises, like those of some libraries. */
const ForeignPromise = runInNewContext("Promise") as PromiseConstructor;

/**
 * Security handlers for tests. The credential `good` is valid for each scheme; for `key` and `bearer` it has one scope
 * only.
 */
const security: Record<string, SecurityHandler<unknown>> = {
  key: (credential) => (credential === "good" ? { caller: "key", scopes: ["read"] } : undefined),
  bearer: (credential) => (credential === "good" ? { caller: "bearer", scopes: ["read"] } : undefined),
  basic: (credential) => ForeignPromise.resolve(credential === "user:good" ? { caller: "basic" } : undefined),
};

/** Serves a document whose operations respond with their input as JSON, files as text, behind the given middleware. */
export async function serveEcho(
  paths: object,
  more: Partial<OpenApiDocument> & object = {},
  ...before: RequestHandler[]
) {
  const document = { openapi: "3.1.0", info: { title: "t", version: "1" }, ...more, paths } as OpenApiDocument;
  const echo = ({ files = [], ...input }: { files?: UploadedFile[] }) => ({
    status: 200,
    body: { ...input, files: files.map(({ bytes, ...file }) => ({ ...file, text: Buffer.from(bytes).toString() })) },
  });
  const handlers = Object.fromEntries(operationsOf(document).map(({ id }) => [id, echo]));
  const implementation = implement()({ document, handlers: handlers as never, security });
  return listen(express.Router().use(...before, implementation));
}
