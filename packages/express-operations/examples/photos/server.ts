/** A server with bearer tokens, scopes, multipart uploads, binary responses and its own error body. */
import express from "express";
import { type Handlers, implement, type SecurityHandler } from "express-operations";
import document from "./openapi.json" with { type: "json" };
import type { operations } from "./operations.ts";

interface User {
  name: string;
  scopes: string[];
}

/** The types of a handler's caller and context. */
interface Env {
  caller: User;
  context: { log: (line: string) => void };
}

const users = new Map<string, User>([
  ["ada's token", { name: "Ada", scopes: ["photos:read", "photos:write"] }],
  ["bob's token", { name: "Bob", scopes: ["photos:read"] }],
]);
const photos: { contentType: `image/${string}`; bytes: Uint8Array }[] = [];

const token: SecurityHandler<User> = (credential) => {
  const user = users.get(credential);
  return user && { caller: user, scopes: user.scopes };
};

const handlers: Handlers<operations, Env> = {
  uploadPhoto: ({ body, files, caller, context }) => {
    const { contentType, bytes } = files.find(({ field }) => field === "photo")!; // required by the schema
    if (!isImage(contentType)) return { status: 422, body: { fault: "The photo is no image." } };
    const id = photos.push({ contentType, bytes }) - 1;
    context.log(`${caller.name} uploaded photo ${id}`);
    return { status: 201, body: { id, title: body.title, owner: caller.name, size: bytes.length } };
  },
  downloadPhoto: ({ path }) => {
    const photo = photos[path.photoId];
    if (photo === undefined) return { status: 404, body: { fault: "There is no such photo." } };
    return { status: 200, contentType: photo.contentType, body: photo.bytes };
  },
};

function isImage(contentType: string): contentType is `image/${string}` {
  return contentType.startsWith("image/");
}

const implementation = implement<operations, Env>()({
  document,
  handlers,
  security: { token },
  context: (request) => ({ log: (line) => console.log(`${request.ip}: ${line}`) }),
  problemFormat: ({ message }) => ({ body: { fault: message } }),
  bodyLimit: 5_000_000,
  checkResponses: { sample: 0.01 },
  onViolation: (violation) => console.error("Violates the document:", violation),
  warm: true,
});
for (const { operationId, error } of await implementation.ready) console.error("Cannot serve", operationId, error);

const server = express()
  .use(implementation)
  .listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => console.log("Listening", server.address()));
