import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import {
  type CallOptions,
  type ClientOptions,
  connectTo,
  type OperationDescription,
  type PagedOperation,
  paginate,
  type Pagination,
} from "../src/index.ts";
import { generatedClient } from "./generated-client.ts";
import { api, inTurn, read, respond, serve, shop } from "./shop.ts";
import { linkTo } from "../src/pages/link.ts";

const list = { type: "array", items: { type: "integer" } };
const inBody = { type: "object", properties: { data: list, next: { type: ["string", "null"] } } };
const query = (name: string) => ({ name, in: "query", schema: { type: "string" } });
const ALL = [1, 2, 3, 4, 5];

/** Reads all pages of two items. `next` returns what leads to the page after an offset. */
async function readAll(pagination: object, parameters: string[], schema: object, input: object, limit = 2) {
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
  const lists = client.create({ baseUrl: server.baseUrl }).paginate;
  const items = await Array.fromAsync(lists["list"]!(input));
  const count = requests.length;
  const [first] = await Array.fromAsync(lists["list"]!(input).pages());
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
    const found = await readAll(pagination, parameters, schema, input);
    expect(found).toEqual({ items: ALL, requests, next });
  });
});

test.each<[title: string, pagination: object, body: object, requests: string[]]>([
  [
    "the last item",
    { by: "cursor", cursor: "after", last: "/id", items: "/data" },
    {},
    ["{}", '{"after":2}', '{"after":3}'],
  ],
  [
    "a field of the body",
    { by: "cursor", cursor: "after", next: "/next", items: "/data" },
    { text: "a" },
    ['{"text":"a"}', '{"text":"a","after":"2"}'],
  ],
  [
    "an offset in the body, up to the total",
    { by: "offset", offset: "skip", total: "/total", items: "/data" },
    {},
    ["{}", '{"skip":2}'],
  ],
])("pages of a POST by %s", async (_title, pagination, body, requests) => {
  for (const isClosed of [false, true]) {
    const sent: string[] = [];
    const pages = [
      { data: [{ id: 1 }, { id: 2 }], next: "2", total: 3 },
      { data: [{ id: 3 }], next: null, total: 3 },
      { data: [], total: 3 },
    ];
    await using server = await serve((request, response) => {
      let text = "";
      request.on("data", (chunk) => (text += String(chunk)));
      request.on("end", () => {
        response.writeHead(200, { "Content-Type": "application/json" });
        response.end(JSON.stringify(pages[sent.push(text) - 1]));
      });
    });
    const field = { type: "string" };
    const search = {
      type: "object",
      properties: { text: field, after: field, skip: { type: "integer" } },
      ...(isClosed && { additionalProperties: false }),
    };
    const item = { type: "object", properties: { id: { type: "integer" } } };
    const found = {
      type: "object",
      properties: {
        data: { type: "array", items: item },
        next: { type: ["string", "null"] },
        total: { type: "integer" },
      },
    };
    const json = (schema: object) => ({ "application/json": { schema } });
    using client = await generatedClient({
      openapi: "3.1.1",
      info: { title: "T", version: "1" },
      paths: {
        "/search": {
          post: {
            operationId: "search",
            "x-pagination": pagination,
            requestBody: { required: true, content: json(search) },
            responses: { 200: { description: "", content: json(found) } },
          },
        },
      },
    });
    const lists = client.create({ baseUrl: server.baseUrl }).paginate;
    const items = await Array.fromAsync(lists["search"]!(isClosed ? body : { body }));
    expect(items).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    expect(sent).toEqual(requests);
  }
});

/** A list of one item on each page, with the link of each page, and operations that read it in other ways. */
async function reading(
  pages: Pagination,
  respondTo: (request: IncomingMessage, index: number) => [body: unknown, link?: string | undefined],
  input: object = {},
  more: Partial<OperationDescription> = {},
  options: object = {},
  optionsOf: (base: string) => Partial<ClientOptions> = () => ({}),
) {
  const headers: IncomingMessage["headers"][] = [];
  await using server = await shop((request, response) => {
    headers.push(request.headers);
    const [body, link] = respondTo(request, server.requests.length - 1);
    const own = { "Content-Type": "application/json", ...(link !== undefined && { Link: link }) };
    response.writeHead(200, own).end(JSON.stringify(body));
  });
  const own = { baseUrl: `${server.baseUrl}/v1`, onDeprecated: false as const, ...optionsOf(server.baseUrl) };
  const connection = connectTo({ ...api, servers: ["/files"] }, own);
  const operation = { ...read, path: "/p", pages, ...more } as PagedOperation<[object, object], never>;
  const found: unknown[] = [];
  const following: unknown[] = [];
  try {
    for await (const { items, next } of paginate(connection, operation, input, options).pages()) {
      found.push(...items);
      following.push(next);
    }
  } catch (error) {
    found.push((error as Error).message.replace(/^The response 200 \(application\/json\) /, ""));
  }
  return { found, following, requests: server.requests.map((text) => text.replace("GET /v1/p", "")), headers };
}

describe("the next page by link", () => {
  const byLink = { by: "link", items: "" } as const;
  const next = (target: string) => `<${target}>; rel="next"`;

  test.each([
    ["?page=1", "?page=1"],
    ["/v1/p?page=1", "?page=1"],
    ["p?page=1", "?page=1"],
    ["./p?page=1#a", "?page=1"],
    ["/v1/%70?page=1", "GET /v1/%70?page=1"],
    ["/v1/other", "GET /v1/other"],
    ["/v1//", "GET /v1//"],
  ])("is requested at the target %s, relative to this page", async (target, request) => {
    const { found, requests } = await reading(byLink, (_request, index) => [
      [index],
      index === 0 ? next(target) : undefined,
    ]);
    expect([found, requests]).toEqual([
      [0, 1],
      ["", request],
    ]);
  });

  const outside = "links to a next page outside the base URL.";
  const elsewhere = "links to a next page of another origin.";
  test.each([
    ["/", outside],
    ["/v1", outside],
    ["/v10/p?a", outside],
    ["/v1/../admin", outside],
    ["/v1/%2e%2e/admin", outside],
    ["/v1/a%2F..%2f..%2fadmin", outside],
    ["/v1/..%5Cadmin", outside],
    ["/v1/x%2E/admin", outside],
    [String.raw`\admin`, outside],
    ["//elsewhere.test/v1/p", elsewhere],
    ["https://elsewhere.test/v1/p", elsewhere],
    ["http://127.0.0.1:1/v1/p", elsewhere],
    ["http://[", elsewhere],
    ["data:,", elsewhere],
  ])("is not requested at %s, because it %s", async (target, problem) => {
    const { found, requests } = await reading(byLink, () => [["a"], next(target)]);
    expect([found, requests]).toEqual([["a", problem], [""]]);
  });

  test("is not requested with a user name, or below another server than the operation's", async () => {
    const origin = (request: IncomingMessage) => `http://me@${request.headers.host}/v1/p?a`;
    const { found } = await reading(byLink, (request) => [["a"], next(origin(request))]);
    expect(found).toEqual(["a", outside]);
    const own = { server: "/files", path: "/p" };
    const moved = await reading(
      byLink,
      (_request, index) => [[index], next(index === 0 ? "/files/x" : "/v1/x")],
      {},
      own,
      {},
      (base) => ({ servers: { "/files": `${base}/files` } }),
    );
    expect([moved.found, moved.requests]).toEqual([
      [0, 1, outside],
      ["GET /files/p", "GET /files/x"],
    ]);
  });

  test("is not requested twice", async () => {
    const { found } = await reading(byLink, (_request, index) => [[index], next(`/v1/p?page=${(index + 1) % 3}`)], {
      page: 0,
    });
    expect(found).toEqual([0, 1, 2, "links to a page that was already read."]);
    const same = await reading(byLink, () => [["a"], next("/v1/p")]);
    expect([same.found, same.requests]).toEqual([["a", "links to a page that was already read."], [""]]);
  });

  test("gets the headers of the first, and names the cursor or the URL to continue from", async () => {
    const parameters = { "X-A": "header", cursor: "query" } as const;
    const pages = { ...byLink, cursor: "cursor" };
    const links = [next("?cursor=a%20b"), next("?other=1"), '</x>; rel="prev"'];
    const { following, headers } = await reading(
      pages,
      (_request, index) => [[index], links[index]],
      { "X-A": "1" },
      { parameters },
    );
    expect(following).toEqual(["a b", expect.stringMatching(/^http:.*\/v1\/p\?other=1$/), undefined]);
    expect(headers.map((own) => own["x-a"])).toEqual(["1", "1", "1"]);
  });
});

describe("the next page", () => {
  const parameters = { after: "query", skip: "query", limit: "query", page: "query" } as const;
  const cursor = { by: "cursor", cursor: "after", next: "/meta/a~1b~0", items: "/data" } as const;
  const withCursor = (value: unknown) => ({ data: [value], meta: { "a/b~": value } });

  test.each<[pages: Pagination, input: object, bodies: unknown[], found: unknown[], requests: string[]]>([
    [
      cursor,
      { limit: 1 },
      [withCursor("x"), withCursor(5), withCursor("")],
      ["x", 5, ""],
      ["?limit=1", "?limit=1&after=x", "?limit=1&after=5"],
    ],
    [cursor, { after: "a" }, [withCursor("b"), withCursor(null)], ["b", null], ["?after=a", "?after=b"]],
    [cursor, {}, [withCursor({}), withCursor("x")], [{}], [""]],
    [cursor, {}, [{ data: [] }], [], [""]],
    [cursor, {}, [{ data: [1], meta: null }], [1], [""]],
    [
      cursor,
      {},
      [withCursor("x"), withCursor("x")],
      ["x", "x", "links to a page that was already read."],
      ["", "?after=x"],
    ],
    [cursor, {}, [{ data: {} }], ["has no list of items."], [""]],
    [cursor, {}, [[]], ["has no list of items."], [""]],
    [cursor, {}, [{}], ["has no list of items."], [""]],
    [{ by: "offset", offset: "skip", items: "" }, {}, [[1, 2], [3], []], [1, 2, 3], ["", "?skip=2", "?skip=3"]],
    [{ by: "offset", offset: "skip", items: "" }, { skip: 10 }, [[1], []], [1], ["?skip=10", "?skip=11"]],
    [
      { by: "offset", offset: "skip", limit: "limit", items: "" },
      { limit: 2 },
      [[1, 2], [3]],
      [1, 2, 3],
      ["?limit=2", "?limit=2&skip=2"],
    ],
    [
      { by: "offset", offset: "skip", limit: "limit", items: "" },
      { limit: "2" },
      [[1], []],
      [1],
      ["?limit=2", "?limit=2&skip=1"],
    ],
    [{ by: "offset", offset: "skip", limit: "limit", items: "" }, {}, [[1], []], [1], ["", "?skip=1"]],
    [
      { by: "link", items: "/data", next: "/next" },
      {},
      [
        { data: [1], next: "?from=a" },
        { data: [2], next: "" },
      ],
      [1, 2],
      ["", "?from=a"],
    ],
    [
      { by: "link", items: "/data", next: "/next" },
      {},
      [{ data: [1], next: "https://other.test/p" }],
      [1, "links to a next page of another origin."],
      [""],
    ],
    [{ by: "page", page: "page", items: "", first: 1 }, {}, [[1], [2], []], [1, 2], ["", "?page=2", "?page=3"]],
    [{ by: "page", page: "page", items: "", first: 0 }, {}, [[1], []], [1], ["", "?page=1"]],
    [{ by: "page", page: "page", items: "", first: 1 }, { page: 7 }, [[1], []], [1], ["?page=7", "?page=8"]],
  ])("by %j, from %j", async (pages, input, bodies, found, requests) => {
    const result = await reading(pages, (_request, index) => [bodies[index]], input, { parameters });
    expect([result.found, result.requests]).toEqual([found, requests]);
  });
});

describe("an iteration", () => {
  const pages = { by: "link", items: "" } as const;
  const operation = { ...read, pages } as PagedOperation<[object?, CallOptions?], never>;

  test("begins anew each time, requests one page ahead, and no page before the first item", async () => {
    await using server = await shop((request, response) => {
      const page = Number(new URL(request.url!, "http://x").searchParams.get("page"));
      respond(
        200,
        `[${page}]`,
        undefined,
        page < 3 ? { Link: `<?page=${page + 1}>; rel="next"` } : {},
      )(request, response);
    });
    const items = paginate(server.connection, operation);
    expect(server.requests).toEqual([]);
    const iterator = items[Symbol.asyncIterator]();
    expect(await iterator.next()).toEqual({ done: false, value: 0 });
    await expect.poll(() => server.requests).toHaveLength(2);
    await server.call();
    expect(server.requests).toEqual(["GET /a", "GET /a?page=1", "GET /a"]);
    await iterator.return!();
    for (let time = 0; time < 2; time++) expect(await Array.fromAsync(items)).toEqual([0, 1, 2, 3]);
  });

  test("that is left early aborts the request for the next page", async () => {
    const ended = Promise.withResolvers<void>();
    await using server = await shop(
      (request, response) => {
        if (request.url === "/a") respond(200, "[1]", undefined, { Link: '<?page=1>; rel="next"' })(request, response);
        else response.on("close", ended.resolve);
      },
      { timeout: Infinity, attemptTimeout: Infinity },
    );
    const iterator = paginate(server.connection, operation).pages()[Symbol.asyncIterator]();
    await iterator.next();
    await expect.poll(() => server.requests.length).toBe(2);
    await iterator.return!();
    await ended.promise;
  });

  test.each([1, 2])("ends with its signal after %s items", async (count) => {
    await using server = await shop((request, response) => {
      if (request.url === "/a") respond(200, "[1, 2]", undefined, { Link: '<?page=1>; rel="next"' })(request, response);
    });
    const controller = new AbortController();
    const reason = new Error("the page was closed");
    const found: unknown[] = [];
    const iterate = async () => {
      for await (const item of paginate(server.connection, operation, {}, { signal: controller.signal }))
        if (found.push(item) === count) controller.abort(reason);
    };
    const error = {
      name: "ShopError",
      code: "aborted",
      status: 0,
      message: "The call was aborted.",
      operationId: "getPet",
    };
    await expect(iterate()).rejects.toMatchObject({ ...error, cause: reason });
    expect(found).toHaveLength(count);
  });

  test("throws the error response of a page, after the items before it", async () => {
    await using server = await shop(
      inTurn(
        respond(200, "[1]", undefined, { Link: '<?page=1>; rel="next"' }),
        respond(403, '{"code":"no","message":""}'),
      ),
    );
    const found: unknown[] = [];
    const iterate = async () => {
      for await (const page of paginate(server.connection, operation).pages()) found.push(page);
    };
    await expect(iterate()).rejects.toMatchObject({ name: "ShopError", code: "no", status: 403 });
    expect(found).toEqual([
      { items: [1], data: [1], next: `${server.baseUrl}/a?page=1`, response: expect.any(Response) },
    ]);
  });

  test("shows the body that is no list", async () => {
    await using server = await shop(respond(200, '{"a":1}', undefined, { "X-Request-Id": "r-1" }));
    await expect(Array.fromAsync(paginate(server.connection, operation))).rejects.toMatchObject({
      code: "unreadable_answer",
      requestId: "r-1",
      bodyStart: '{"a":1}',
    });
  });
});

describe("the link of a relation", () => {
  test.each<[header: string, target: string | undefined]>([
    ['</a>; rel="next"', "/a"],
    ["</a>; rel=next", "/a"],
    ['</a>;rel="prev  NEXT"', "/a"],
    ['</a>; REL = "next"', "/a"],
    ['</a>; title="rel=next, <b>"; rel=prev, </c>; rel=next', "/c"],
    ['</a>; rel="next"; anchor="/b", </c>; rel="next"', "/c"],
    ['</a>; title="\\"; rel=next"; rel=prev', undefined],
    ["</a>; rel=nextone", undefined],
    ["</a>; rel=prev; rel=next", undefined], // The first counts (RFC 8288, section 3.3).
    ["</a>", undefined],
    ["</a>; rel", undefined],
    ["<>; rel=next", ""],
    ["", undefined],
  ])("in %s is %s", (header, target) => {
    expect(linkTo("next", new Headers({ Link: header }))).toBe(target);
  });

  test("is undefined without the header, or without headers", () => {
    expect([linkTo("next", new Headers()), linkTo("next", undefined)]).toEqual([undefined, undefined]);
  });
});
