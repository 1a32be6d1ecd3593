import { describe, expect, test } from "vitest";
import { generatedClient } from "./generated-client.ts";
import { serve } from "./servers.ts";

const list = { type: "array", items: { type: "integer" } };
const inBody = { type: "object", properties: { data: list, next: { type: ["string", "null"] } } };
const query = (name: string) => ({ name, in: "query", schema: { type: "string" } });
const ALL = [1, 2, 3, 4, 5];

/** Reads all pages of two items. `next` returns what leads to the page after an offset. */
async function read(pagination: object, parameters: string[], schema: object, input: object, limit = 2) {
  const requests: string[] = [];
  await using server = await serve((request, response) => {
    const { searchParams } = new URL(request.url!, "http://x");
    requests.push(request.url!);
    const value = searchParams.get(parameters[0]!);
    const isNumbered = parameters.includes("page");
    const offset = isNumbered ? (Number(searchParams.get("page") ?? 1) - 1) * 2 : Number(value ?? 0);
    const items = ALL.slice(offset, offset + limit);
    const next = offset + limit < ALL.length ? String(offset + limit) : null;
    const link = next === null ? {} : { Link: `</x?from=${next}>; rel="next"` };
    response.writeHead(200, { "Content-Type": "application/json", ...link });
    response.end(JSON.stringify(schema === inBody ? { data: items, next } : items));
  });
  const responses = { 200: { description: "", content: { "application/json": { schema } } } };
  const operation = { operationId: "list", parameters: parameters.map(query), "x-pagination": pagination, responses };
  using client = await generatedClient({
    openapi: "3.1.1",
    info: { title: "T", version: "1" },
    paths: { "/x": { get: operation } },
  });
  const { paginate } = client.create({ baseUrl: server.baseUrl });
  const items = await Array.fromAsync(paginate["list"]!(input));
  const count = requests.length;
  const [first] = await Array.fromAsync(paginate["list"]!(input).pages());
  return { items, requests: requests.slice(0, count), next: first!.next };
}

describe("pages by %s", () => {
  test.each<
    [
      by: string,
      pagination: object,
      parameters: string[],
      schema: object,
      input: object,
      requests: string[],
      next: string,
    ]
  >([
    ["link", { by: "link", cursor: "from" }, ["from"], list, {}, ["/x", "/x?from=2", "/x?from=4"], "2"],
    [
      "cursor",
      { by: "cursor", cursor: "after", next: "/next", items: "/data" },
      ["after"],
      inBody,
      {},
      ["/x", "/x?after=2", "/x?after=4"],
      "2",
    ],
    [
      "offset",
      { by: "offset", offset: "skip" },
      ["skip"],
      list,
      {},
      ["/x", "/x?skip=2", "/x?skip=4", "/x?skip=5"],
      "2",
    ],
    [
      "offset and limit",
      { by: "offset", offset: "skip", limit: "limit" },
      ["skip", "limit"],
      list,
      { limit: 2 },
      ["/x?limit=2", "/x?limit=2&skip=2", "/x?limit=2&skip=4"],
      "2",
    ],
    ["number", { by: "page", page: "page" }, ["page"], list, {}, ["/x", "/x?page=2", "/x?page=3", "/x?page=4"], "2"],
  ])("%s", async (_by, pagination, parameters, schema, input, requests, next) => {
    const found = await read(pagination, parameters, schema, input);
    expect(found).toEqual({ items: ALL, requests, next });
  });
});

test("a circle of cursors is an error", async () => {
  await using server = await serve((_request, response) => {
    response.writeHead(200, { "Content-Type": "application/json" }).end('{"data":[1],"next":"a"}');
  });
  const pagination = { by: "cursor", cursor: "after", next: "/next", items: "/data" };
  const responses = { 200: { description: "", content: { "application/json": { schema: inBody } } } };
  const operation = { operationId: "list", parameters: [query("after")], "x-pagination": pagination, responses };
  using client = await generatedClient({
    openapi: "3.1.1",
    info: { title: "T", version: "1" },
    paths: { "/x": { get: operation } },
  });
  const items = client.create({ baseUrl: server.baseUrl }).paginate["list"]!();
  await expect(Array.fromAsync(items)).rejects.toMatchObject({
    name: "ThingError",
    message: "The response 200 (application/json) links to a page that was already read.",
  });
});
