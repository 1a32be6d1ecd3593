import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { expect, onTestFinished, test } from "vitest";
import { createServer as createTcpServer } from "node:net";
import { type AnyClient, compile, generatedClient } from "./generated-client.ts";
import { json, object, ref, string } from "./schemas.ts";

/** A contract with an operation that is deprecated, and with the credential `key`. */
const documentOf = (operationId: string) => ({
  openapi: "3.1.1",
  info: { title: "T", version: "1" },
  security: [{ key: [] }],
  paths: { "/": { get: { operationId, deprecated: true, responses: { 200: json(ref("Item")) } } } },
  components: {
    schemas: { Item: object({ name: string }) },
    securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } },
  },
});

interface Bundle {
  createBooks: (options: object) => AnyClient & { use: (middleware: object) => void };
  createPets: Bundle["createBooks"];
  booksQueries: (client: object, name?: string) => Record<string, () => { queryKey: unknown[] }>;
  booksSwr: (client: object, name?: string) => Record<string, () => unknown[]>;
  BooksError: new () => Error;
  PetsError: new () => Error;
}

/** Starts a server that records what it gets and answers with the next of the statuses, or else with 200. */
async function service(...statuses: number[]) {
  const requests: object[] = [];
  const server = createServer((request, response) => {
    requests.push({ key: request.headers["x-key"], trace: request.headers["x-trace"] });
    response.writeHead(statuses.shift() ?? 200, { "Content-Type": "application/json" }).end('{"name":"a"}');
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** Bundles two clients of different contracts in one file, as one page does, and imports it. */
async function bundled(): Promise<Bundle & { size: number; alone: number }> {
  const features = ["react-query", "swr"] as const;
  const books = await generatedClient(documentOf("getBook"), { name: "Thing", features: [...features] });
  const pets = await generatedClient(documentOf("getPet"), { name: "Thing" });
  onTestFinished(() => [books, pets].forEach((client) => client[Symbol.dispose]()));
  const sizeOf = async (name: string, code: string) => {
    writeFileSync(join(books.folder, `${name}.ts`), code);
    const bundle = await rolldown({
      input: join(books.folder, `${name}.ts`),
      platform: "neutral",
      external: /^swr|tanstack/,
    });
    const { output } = await bundle.write({ file: join(books.folder, `${name}.mjs`) });
    return output[0].code.length;
  };
  const one = 'export { createThing as createBooks, ThingError as BooksError } from "./index.ts";\n';
  const other = `export { createThing as createPets, ThingError as PetsError } from ${JSON.stringify(join(pets.folder, "index.ts"))};\n`;
  const queries = `export { thingQueries as booksQueries } from "./queries.ts";\nexport { thingQueries as booksSwr } from "./swr.ts";\n`;
  const alone = await sizeOf("alone", one);
  const size = await sizeOf("both", one + other);
  await sizeOf("all", one + other + queries);
  const module = (await import(pathToFileURL(join(books.folder, "all.mjs")).href)) as Bundle;
  return { ...module, size, alone };
}

test("several clients in one bundle share the runtime, and nothing of one reaches another", async () => {
  const { createBooks, createPets, BooksError, PetsError, booksQueries, booksSwr, size, alone } = await bundled();
  expect(size - alone).toBeLessThan(alone / 4);

  const [failing, working] = [await service(503, 503, 503, 503), await service(503)];
  const reports: string[] = [];
  const of = (name: string, { baseUrl }: { baseUrl: string }) => ({
    baseUrl,
    credentials: { key: name },
    retry: { limit: 1, baseDelay: 1 },
    retryBudget: 1,
    onDeprecated: () => reports.push(name),
  });
  const first = createBooks(of("first", failing));
  const second = createBooks(of("second", working));
  const third = createPets(of("third", working));
  first.use({ onRequest: ({ request }: { request: Request }) => request.headers.set("X-Trace", "first") });

  for (let call = 0; call < 2; call++) expect((await first["getBook"]!()).status).toBe(503);
  expect(failing.requests).toEqual([1, 2, 3].map(() => ({ key: "first", trace: "first" }))); // one retry is the budget
  expect((await second["getBook"]!()).status).toBe(200);
  expect((await third["getPet"]!()).status).toBe(200);
  expect(working.requests).toEqual([{ key: "second" }, { key: "second" }, { key: "third" }]);
  expect(reports).toEqual(["first", "second", "third"]);

  const thrown = await first["getBook"]!()
    .orThrow()
    .catch((error: unknown) => error);
  expect([thrown instanceof BooksError, thrown instanceof PetsError]).toEqual([true, false]);
  const keys = [booksQueries(first, "a")["getBook"]!().queryKey, booksQueries(second, "b")["getBook"]!().queryKey];
  expect(keys).toEqual([booksSwr(first, "a")["getBook"]!()[0], booksSwr(second, "b")["getBook"]!()[0]]);
  expect(keys).toEqual([
    ["a", "getBook", {}],
    ["b", "getBook", {}],
  ]);
});

test("QUERY and additional methods of OpenAPI 3.2 have their types, and are sent as they are written", async () => {
  const methods = ["QUERY", "LINK", "x-custom", "X-CUSTOM", "M-Search", "!#$%&'*+.^_`|~9"];
  const operationOf = (index: number) => ({
    operationId: `act${index}`,
    parameters: [{ name: "q", in: "query", schema: { type: "integer" } }],
    requestBody: json(ref("Item")),
    responses: { 200: json(ref("Item")) },
  });
  const additional = methods.flatMap((method, index) => (index === 0 ? [] : [[method, operationOf(index)]]));
  const item = { query: operationOf(0), additionalOperations: Object.fromEntries(additional) as object };
  const document = { ...documentOf("read"), openapi: "3.2.0", security: [], paths: { "/a": item } };
  using client = await generatedClient(document, { features: ["testing"] });
  const program = methods.map(
    (_, index) =>
      `const r${index} = await thing.act${index}({ q: 1, body: { name: "a" } });\nif (r${index}.ok) void r${index}.data.name;\n`,
  );
  const head = 'import { createThing } from "./index.ts";\nconst thing = createThing({ baseUrl: "/" });\n';
  expect(compile(client, head + program.join(""))).toBe("");

  // Not a server of node:http, whose parser knows few methods.
  const sent: string[] = [];
  const server = createTcpServer((socket) => {
    socket.setEncoding("utf8").on("data", (data: string) => {
      if (/ HTTP\/1\.1/.test(data)) sent.push(data.split(" HTTP/")[0]!);
      if (data.endsWith("}"))
        socket.end(
          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
        );
    });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const thing = client.create({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, retry: false });
  for (const index of methods.keys())
    expect(await thing[`act${index}`]!({ q: 1, body: { name: "a" } })).toMatchObject({ ok: true, data: {} });
  expect(sent).toEqual(methods.map((method) => `${method} /a?q=1`));
});
