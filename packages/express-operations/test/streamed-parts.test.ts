import { buffer, text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { formOf, post, serveUpload, type UploadInput } from "./uploads.ts";

const file = { type: "string", format: "binary" };
const form = {
  type: "object",
  required: ["title"],
  properties: {
    title: { type: "string", maxLength: 5 },
    age: { type: "integer" },
    tags: { type: "array", items: { type: "string", maxLength: 3 }, maxItems: 2 },
    owner: { type: "object", required: ["name"], properties: { name: { type: "string" }, age: { type: "integer", default: 7 } } },
    either: { oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
    photo: file,
    photos: { type: "array", items: file },
  },
  additionalProperties: false,
};

/** Returns all parts, with the bytes of files as text. */
async function collect({ parts }: UploadInput) {
  const body: unknown[] = [];
  for await (const { stream, ...part } of parts)
    body.push(stream === undefined ? part : { ...part, text: await text(stream) });
  return { status: 200, body };
}

describe("the parts of a form", () => {
  test("arrive in order, files as streams and values with their types", async () => {
    const server = await serveUpload(collect, { form });
    const sent = formOf(
      ["age", "12"],
      ["photo", new Blob(["bytes"], { type: "image/png" }), "a.png"],
      ["title", "Hi"],
      ["owner", '{"name":"Ada"}'],
      ["tags", "a"],
      ["photos", new Blob(["1"])],
      ["photos[]", new Blob(["2"])],
      ["tags[]", "b"],
    );
    expect(await post(server, sent)).toEqual({
      status: 200,
      json: [
        { field: "age", contentType: "text/plain", value: 12 },
        { field: "photo", name: "a.png", contentType: "image/png", text: "bytes" },
        { field: "title", contentType: "text/plain", value: "Hi" },
        { field: "owner", contentType: "text/plain", value: { name: "Ada", age: 7 } },
        { field: "tags", contentType: "text/plain", value: "a" },
        { field: "photos", name: "blob", contentType: "application/octet-stream", text: "1" },
        { field: "photos", name: "blob", contentType: "application/octet-stream", text: "2" },
        { field: "tags", contentType: "text/plain", value: "b" },
      ],
    });
  });
});
