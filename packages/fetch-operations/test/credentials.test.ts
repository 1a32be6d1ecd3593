import type { IncomingMessage, ServerResponse } from "node:http";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { clientCredentials, logTo } from "../src/index.ts";
import { createFake } from "../src/testing/index.ts";
import { generatedClient } from "./generated-client.ts";
import { serve, serveDocument } from "./shop.ts";

const SECRET = "s3cr3t-key";
const flows = { clientCredentials: { tokenUrl: "https://login.test/token", scopes: {} } };
const schemes = {
  token: { type: "http", scheme: "bearer" },
  user: { type: "http", scheme: "Basic" },
  header: { type: "apiKey", in: "header", name: "X-Key" },
  query: { type: "apiKey", in: "query", name: "a key" },
  cookie: { type: "apiKey", in: "cookie", name: "session" },
  oauth: { type: "oauth2", flows },
  openid: { type: "openIdConnect", openIdConnectUrl: "https://login.test" },
  certificate: { type: "mutualTLS" },
};
const documentOf = (security: object[]) => ({
  openapi: "3.1.1",
  info: { title: "T", version: "1.0.0" },
  security,
  components: { securitySchemes: schemes },
  paths: {
    "/x": {
      get: {
        operationId: "read",
        parameters: [{ name: "q", in: "query", schema: { type: "string" } }],
        responses: { 200: { description: "", content: { "application/json": { schema: {} } } } },
      },
    },
  },
});

describe("express-operations and the fake read the credential that the client sends:", () => {
  test.each<[security: object, credentials: object, callers: object]>([
    [{ token: [] }, { token: SECRET }, { token: SECRET }],
    [{ user: [] }, { user: { username: "me", password: "p:ä" } }, { user: "me:p:ä" }],
    [{ header: [] }, { header: SECRET }, { header: SECRET }],
    [{ query: [] }, { query: "a+b/c=&" }, { query: "a+b/c=&" }],
    [{ cookie: [] }, { cookie: "a;b=c%" }, { cookie: "a;b=c%" }],
    [{ oauth: [] }, { oauth: async () => SECRET }, { oauth: SECRET }],
    [{ openid: [] }, { openid: () => SECRET }, { openid: SECRET }],
    [
      { token: [], query: [], cookie: [] },
      { token: "t", query: "q", cookie: "c" },
      { token: "t", query: "q", cookie: "c" },
    ],
  ])("%j", async (requirement, credentials, callers) => {
    const document = documentOf([requirement]);
    using client = await generatedClient(document);
    const security = Object.fromEntries(
      Object.keys(schemes).map((name) => [name, (credential: string) => ({ caller: credential })]),
    );
    await using server = await serveDocument(
      document,
      { read: ({ callers: found }: { callers: object }) => ({ status: 200, body: found }) },
      security,
    );
    const thing = client.create({ baseUrl: server.baseUrl, credentials, userAgent: false });
    expect(await thing["read"]!({ q: "x" }).orThrow()).toEqual(callers);
    const fake = createFake(document, client.operations);
    fake.mock("read" as never, { status: 200, body: 1 } as never);
    await client.create({ baseUrl: "http://x.test", credentials, fetch: fake.fetch })["read"]!({ q: "x" });
    fake.verify();
    expect((await fake.fetch("http://x.test/x?q=x")).status).toBe(501);
    expect(fake.violations[0]?.message).toMatch(/ (?:is|are) missing\. Send /);
  });

  test("by the first requirement that the client has credentials for, and none for an optional one", async () => {
    const seen: (string | undefined)[] = [];
    await using server = await serve(({ headers }, response) => {
      seen.push(headers.authorization ?? (headers["x-key"] as string | undefined));
      response.writeHead(200, { "Content-Type": "application/json" }).end("1");
    });
    const { baseUrl } = server;
    using client = await generatedClient(documentOf([{}, { token: [], header: [] }, { header: [] }]));
    await client.create({ baseUrl, credentials: { header: "h" } })["read"]!();
    await client.create({ baseUrl })["read"]!();
    using certified = await generatedClient(documentOf([{ certificate: [] }]));
    await certified.create({ baseUrl })["read"]!();
    expect(seen).toEqual(["h", undefined, undefined]);
  });

  test("and without a credential, no request is sent", async () => {
    using client = await generatedClient(documentOf([{ token: [], user: [] }, { header: [] }]));
    const { error } = await client.create({ baseUrl: "http://127.0.0.1:1", credentials: { token: "t" } })["read"]!();
    expect(error).toMatchObject({
      code: "unsendable_request",
      message: "A value of the request cannot be sent. read requires a credential of token and user or header.",
    });
  });
});

test.each<[credentials: object, message: string]>([
  [
    { tokn: "t" },
    "There is no option credentials.tokn. The options are token, user, header, query, cookie, oauth, openid, certificate.",
  ],
  [{ token: "a b" }, "credentials.token is not an API key. Pass it as issued, without spaces or line breaks."],
  [{ token: 5 }, "credentials.token is not an API key. Pass it as issued, without spaces or line breaks."],
])("the credentials %j are rejected", async (credentials, message) => {
  using client = await generatedClient(documentOf([]));
  expect(() => client.create({ baseUrl: "http://x", credentials })).toThrow(new TypeError(message));
});

describe("a function is asked for the credential", () => {
  const refusing = (valid: string) => (request: IncomingMessage, response: ServerResponse) => {
    const isValid = request.headers.authorization === `Bearer ${valid}`;
    response.writeHead(isValid ? 200 : 401, { "Content-Type": "application/json" }).end(isValid ? "1" : "{}");
  };

  test("again after a 401, once", async () => {
    using client = await generatedClient(documentOf([{ token: [] }]));
    await using server = await serve(refusing("new"));
    const reasons: boolean[] = [];
    const token =
      (next: string) =>
      async ({ isRejected }: { isRejected: boolean }) => (reasons.push(isRejected), isRejected ? next : "old");
    const create = (next: string) =>
      client.create({ baseUrl: server.baseUrl, credentials: { token: token(next) } })["read"]!;
    expect((await create("new")()).status).toBe(200);
    expect(reasons.splice(0)).toEqual([false, true]);
    expect((await create("other")()).response.status).toBe(401);
    expect(reasons).toEqual([false, true]);
  });

  test("and its error rejects the call", async () => {
    using client = await generatedClient(documentOf([{ token: [] }]));
    const lost = new Error("no vault");
    const token = async () => {
      throw lost;
    };
    await expect(client.create({ baseUrl: "http://127.0.0.1:1", credentials: { token } })["read"]!()).rejects.toBe(
      lost,
    );
  });
});

describe("OAuth 2.0 client credentials", () => {
  test("fetch one token for all calls, and another after a 401 or its lifetime", async () => {
    const requests: unknown[] = [];
    let lifetime = 3_600;
    await using login = await serve((request, response) => {
      const body: Buffer[] = [];
      request.on("data", (chunk: Buffer) => body.push(chunk));
      request.on("end", () => respond(request, response, Buffer.concat(body).toString()));
    });
    const respond = (request: IncomingMessage, response: ServerResponse, body: string) => {
      requests.push([request.url, request.headers.authorization, body]);
      const token = { access_token: `t${requests.length}`, token_type: "Bearer", expires_in: lifetime };
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(token));
    };
    const rejected = new Set(["Bearer t1"]);
    await using server = await serve(({ headers }, response) => {
      response
        .writeHead(rejected.has(headers.authorization!) ? 401 : 200, { "Content-Type": "application/json" })
        .end(JSON.stringify(headers.authorization));
    });
    const oauth = clientCredentials({
      tokenUrl: `${login.baseUrl}/token?a=1`,
      clientId: "me:x",
      clientSecret: "s +",
      scopes: ["a", "b"],
    });
    using client = await generatedClient(documentOf([{ oauth: [] }]));
    const read = client.create({ baseUrl: server.baseUrl, credentials: { oauth } })["read"]!;
    expect(await Promise.all([read().orThrow(), read().orThrow()])).toEqual(["Bearer t2", "Bearer t2"]);
    expect(requests[0]).toEqual([
      "/token?a=1",
      `Basic ${btoa("me%3Ax:s+%2B")}`,
      "grant_type=client_credentials&scope=a+b",
    ]);
    lifetime = 0;
    rejected.add("Bearer t2");
    const before = requests.length;
    await read();
    await read();
    expect(requests.length).toBe(before + 2);
  });

  test("are asked for again if the token endpoint fails for a while", async () => {
    const statuses = [503, 200];
    await using login = await serve((_request, response) => {
      response.writeHead(statuses.shift()!, { "Content-Type": "application/json" }).end('{"access_token":"t"}');
    });
    await using service = await serve((request, response) => {
      const body = JSON.stringify(request.headers.authorization);
      response.writeHead(200, { "Content-Type": "application/json" }).end(body);
    });
    const oauth = clientCredentials({ tokenUrl: login.baseUrl, clientId: "me", clientSecret: SECRET });
    using client = await generatedClient(documentOf([{ oauth: [] }]));
    const thing = client.create({ baseUrl: service.baseUrl, credentials: { oauth }, retry: { baseDelay: 1 } });
    expect(await thing["read"]!()).toMatchObject({ ok: true, status: 200 });
    expect(statuses).toEqual([]);
  });

  test("reject with the reason of the token endpoint, without the secret", async () => {
    await using login = await serve((_request, response) => {
      response.writeHead(400, { "Content-Type": "application/json" }).end('{"error":"invalid_client"}');
    });
    const oauth = clientCredentials({ tokenUrl: login.baseUrl, clientId: "me", clientSecret: SECRET });
    using client = await generatedClient(documentOf([{ oauth: [] }]));
    const failed: unknown = await client.create({ baseUrl: "http://127.0.0.1:1", credentials: { oauth } })["read"]!();
    const message = "The token endpoint responded with status 400 and invalid_client.";
    expect(failed).toMatchObject({ status: 0, error: { code: "token_error", message } });
    expect(inspect(failed, { depth: 9 })).not.toContain(SECRET);
  });
});

describe("a server that the contract gives an operation or a path", () => {
  const requirements = [{ token: [] }, { user: [] }, { header: [] }, { query: [] }, { cookie: [] }];
  const credentials = { token: "t", user: { username: "u", password: "p" }, header: "h", query: "q", cookie: "c" };

  test.each(requirements)("gets a credential only if the option `servers` names it: %j", async (requirement) => {
    const received: string[] = [];
    const listening = (name: string) =>
      serve(({ url, headers }, response) => {
        const { authorization, cookie, "x-key": key } = headers;
        received.push([name, url, authorization, cookie, key].filter(Boolean).join(" "));
        response.writeHead(200, { "Content-Type": "application/json", Link: '</y>; rel="next"' }).end("[]");
      });
    await using base = await listening("base");
    await using files = await listening("files");
    const own = { servers: [{ url: files.baseUrl }] };
    const document = documentOf([requirement]);
    const { get } = document.paths["/x"];
    const responses = { 200: { description: "", content: { "application/json": { schema: { type: "array" } } } } };
    const paths = {
      "/x": { get: { ...get, ...own, responses, "x-pagination": { by: "link" } } },
      "/z": { ...own, get: { ...get, operationId: "z" } },
    };
    using client = await generatedClient({ ...document, servers: [{ url: "https://api.test" }], paths });
    const options = { baseUrl: base.baseUrl, credentials };
    const callAll = async (more: object) => {
      const thing = client.create({ ...options, ...more });
      await thing["read"]!().orThrow();
      await thing["z"]!().orThrow();
      await (thing as unknown as { GET: (path: string) => Promise<unknown> }).GET("/x");
      await thing.raw["read"]!();
      await Array.fromAsync(thing.paginate["read"]!()).catch(() => {});
      return received.splice(0).map((text) => text.replaceAll(/[?=].*| .*/g, ""));
    };
    const calls = (await callAll({})).length;
    expect(calls).toBeGreaterThanOrEqual(6);
    expect(await callAll({})).toEqual(Array<string>(calls).fill("base"));
    expect(await callAll({ servers: { [files.baseUrl]: files.baseUrl } })).toEqual(Array<string>(calls).fill("files"));
  });

  test("is a name of the option, in the types too, and its fake accepts its path", async () => {
    const responses = { 200: { description: "", content: { "application/json": { example: 1 } } } };
    const get = { operationId: "read", responses };
    const files = { url: "https://files.test/v3" };
    const document = {
      ...documentOf([]),
      servers: [{ url: "https://api.test/v1" }],
      paths: { "/x": { get: { ...get, servers: [files, { url: "https://{bad" }] } } },
    };
    using client = await generatedClient(document);
    const text = readFileSync(join(client.folder, "api.ts"), "utf8");
    expect(text).toContain('  servers?: { "https://files.test/v3"?: string | URL } | undefined;');
    expect(text).toContain("sent to `baseUrl` and `servers` only. */");
    const fake = createFake<never>(document, client.operations);
    for (const servers of [{}, { [files.url]: files.url }])
      await client.create({ baseUrl: "https://api.test/v1", fetch: fake.fetch, servers })["read"]!();
    fake.verify();
    expect(fake.requests.map(({ url }) => url)).toEqual(["https://api.test/v1/x", "https://files.test/v3/x"]);
  });
});

test("no error, event or log shows a credential of any scheme", async () => {
  await using server = await serve((request, response) => {
    response.writeHead(500, { "Content-Type": "text/plain" }).end(JSON.stringify([request.url, request.headers]));
  });
  const secret = "s3/cr+t=";
  const all = {
    token: secret,
    user: { username: "u", password: secret },
    header: secret,
    query: secret,
    cookie: secret,
  };
  for (const name of Object.keys(all)) {
    const seen: unknown[] = [];
    const keep = (event: unknown) => void seen.push(inspect(event, { depth: 9 }));
    using client = await generatedClient(documentOf([{ [name]: [] }]));
    const logged = logTo({ debug: keep, info: keep, warn: keep }, { level: "debug" });
    const options = { baseUrl: server.baseUrl, credentials: all, retry: false, onRequest: keep, ...logged };
    const call = client.create(options)["read"]!;
    seen.push(inspect(await call(), { depth: 9, showHidden: true }));
    seen.push(
      inspect(
        await call()
          .orThrow()
          .catch((error: unknown) => error),
        { depth: 9, showHidden: true },
      ),
    );
    const text = seen.join("\n");
    expect(text).toContain("/x 500");
    for (const form of [secret, encodeURIComponent(secret), btoa(`u:${secret}`)]) expect(text).not.toContain(form);
  }
});
