/** A complete server, in memory: `PORT=3000 node server.ts`. */
import express from "express";
import { type Handlers, implement } from "express-operations";
import document from "./openapi.json" with { type: "json" };
import type { components, operations } from "./operations.ts";

const notes: components["schemas"]["Note"][] = [{ id: 1, text: "Water the plants", tags: ["home"] }];

const handlers: Handlers<operations> = {
  listNotes: ({ query: { tag, limit } }) => {
    const found = notes.filter((note) => tag === undefined || note.tags.includes(tag));
    return { status: 200, body: found.slice(0, limit) };
  },
  createNote: ({ body, requestPath }) => {
    const note = { id: notes.length + 1, text: body.text, tags: body.tags };
    notes.push(note);
    return { status: 201, headers: { Location: `${requestPath}/${note.id}` }, body: note };
  },
  getNote: ({ path }) => {
    const note = notes.find(({ id }) => id === path.noteId);
    if (note === undefined)
      return { status: 404, body: { code: "no_such_note", message: "No such note.", status: 404 } };
    return { status: 200, body: note };
  },
};

const app = express().use("/v1", implement<operations>()({ document, handlers }));
const server = app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  console.log("Listening", server.address());
});
