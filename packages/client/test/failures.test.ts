import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { createPetstoreClient } from "../src/index.ts";

const PAGE = "<h1>Bad Gateway</h1>";

describe("an answer that the service did not make", () => {
  test("502 with HTML: error is the page, as a string", async () => {
    await using server = await listen((_request, response) => {
      response.writeHead(502, { "Content-Type": "text/html" }).end(PAGE);
    });
    const { data, error, response } = await server.petstore.GET("/pets");
    expect([response.ok, response.status, data, error]).toEqual([false, 502, undefined, PAGE]);
  });

  test("200 with HTML: the call rejects with a SyntaxError", async () => {
    await using server = await listen((_request, response) => {
      response.writeHead(200, { "Content-Type": "text/html" }).end(PAGE);
    });
    await expect(server.petstore.GET("/pets")).rejects.toThrow(SyntaxError);
  });

  test("500 without a body: error is empty, and response.ok tells", async () => {
    await using server = await listen((_request, response) => {
      response.writeHead(500, { "Content-Length": 0 }).end();
    });
    const { data, error, response } = await server.petstore.GET("/pets");
    expect([response.ok, data, error]).toEqual([false, undefined, undefined]);
  });

  test("500 with a body of unknown length that is empty: error is an empty string", async () => {
    await using server = await listen((_request, response) => {
      response.writeHead(500).flushHeaders();
      response.end();
    });
    const { data, error, response } = await server.petstore.GET("/pets");
    expect([response.ok, data, error]).toEqual([false, undefined, ""]);
  });
});

describe("no answer", () => {
  test("connection refused: the call rejects with the TypeError of fetch", async () => {
    const server = await listen(() => undefined);
    await server[Symbol.asyncDispose]();
    await expect(server.petstore.GET("/pets")).rejects.toMatchObject({
      name: "TypeError",
      cause: { code: "ECONNREFUSED" },
    });
  });
});

/** A server that answers everything in one way, and a client of it. */
async function listen(answer: RequestListener) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    petstore: createPetstoreClient({ baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: "pst_test_any" }),
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
