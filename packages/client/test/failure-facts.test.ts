import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, expectTypeOf, test } from "vitest";
import { createPetstore, type ErrorCode, type FailureCode, PetstoreError } from "../src/index.ts";
import { faulty, KEY } from "./faulty.ts";

const baseUrl = "https://pets.test/v1";

describe("an answer outside the contract is reported with its facts", () => {
  test("by results and by orThrow alike", async () => {
    await using server = await faulty((_request, response) => {
      response.writeHead(502, { "Content-Type": "text/html", "X-Request-Id": "r-9", Via: "proxy" });
      response.end("<h1>Bad Gateway</h1>");
    });
    const { error, requestId } = await server.petstore.listPets({}, { retry: false });
    const facts = { httpStatus: 502, contentType: "text/html", bodyStart: "<h1>Bad Gateway</h1>" };
    expect(error).toMatchObject({ code: "unreadable_answer", status: 0, ...facts });
    expect((error as { headers: Headers }).headers.get("Via")).toBe("proxy");
    expect(requestId).toBe("r-9");
    const thrown = await failed(server.petstore.listPets({}, { retry: false }).orThrow());
    expect(thrown).toMatchObject({ code: "unreadable_answer", status: 0, requestId: "r-9", ...facts });
    expect(thrown.headers?.get("Via")).toBe("proxy");
  });

  test("with at most 1,024 bytes of the body, and whole characters", async () => {
    await using server = await faulty((_request, response) => {
      response.writeHead(500, { "Content-Type": "text/plain" }).end("€".repeat(2_000));
    });
    const { bodyStart } = await failed(server.petstore.listPets().orThrow());
    expect(bodyStart).toBe("€".repeat(341));
  });

  test.each([0, 1_000, 1_020])("without the key that the body repeats after %i bytes", async (length) => {
    await using server = await faulty((request, response) => {
      response.writeHead(500, { "Content-Type": "text/plain" });
      response.end(`${"x".repeat(length)}${request.headers.authorization} ${KEY}`);
    });
    const result = await server.petstore.listPets();
    const thrown = await failed(server.petstore.listPets().orThrow());
    expect(inspect([result, thrown], { depth: 10, showHidden: true, maxStringLength: null })).not.toContain(
      KEY.slice(0, 14),
    );
  });

  test("and its code has a type with the contract's codes and the client's", () => {
    expectTypeOf<FailureCode>().toExtend<ErrorCode>();
    expectTypeOf<"idempotency_key_reused">().toExtend<ErrorCode>();
    expectTypeOf<PetstoreError["code"]>().toEqualTypeOf<ErrorCode>();
  });
});

describe("a body larger than maxResponseBytes is a response_too_large, and is not retried:", () => {
  const big = Buffer.from(JSON.stringify([{ id: 1, name: "x".repeat(5_000), categoryId: 1, status: "sold" }]));
  test.each<[title: string, status: number, headers: Record<string, string | number>, body: Buffer, chunked?: boolean]>(
    [
      ["with a length", 200, { "Content-Length": big.length }, big],
      ["in chunks", 200, {}, big],
      ["compressed", 200, { "Content-Encoding": "gzip" }, gzipSync(big)],
      ["of an error", 503, {}, big],
      ["of an undeclared success", 202, {}, big],
    ],
  )("%s", async (_title, status, headers, body) => {
    await using server = await faulty(
      (_request, response) => {
        response.writeHead(status, { "Content-Type": "application/json", ...headers }).flushHeaders();
        response.end(body);
      },
      { maxResponseBytes: 1_000 },
    );
    const result = await server.petstore.listPets();
    expect(result).toMatchObject({
      status: 0,
      error: { code: "response_too_large", message: "The body is larger than 1000 bytes.", httpStatus: status },
    });
    expect(server.requests).toHaveLength(1);
  });

  test("a body of exactly this size is read", async () => {
    await using server = await faulty((_request, response) => response.writeHead(200).end("[1234567]"), {
      maxResponseBytes: 9,
    });
    expect(await server.petstore.listPets().orThrow()).toEqual([1_234_567]);
  });
});

describe("a programming error rejects at once", () => {
  const wrong = (options: object) => () => createPetstore({ baseUrl, apiKey: "k", ...options });

  test.each<[options: object, message: string]>([
    [{ fetch: 5 }, "fetch must be a function."],
    [{ timout: 5 }, "There is no option timout. The options are "],
    [{ retry: 5 }, "retry must be an object or false."],
    [
      { retry: { limits: 5 } },
      "There is no option retry.limits. The options are limit, baseDelay, maxDelay, maxRetryAfter.",
    ],
    [{ onRetry: "log" }, "onRetry must be a function."],
    [{ maxResponseBytes: -1 }, "maxResponseBytes must be a number of at least 0."],
  ])("createPetstore with %j", (options, message) => {
    expect(wrong(options)).toThrow(message);
    expect(wrong(options)).toThrow(TypeError);
  });

  test.each<[options: object, message: string]>([
    [{ timout: 5 }, "There is no option timout. The options are timeout, attemptTimeout, retry, signal, headers."],
    [{ retry: 5 }, "retry must be an object or false."],
  ])("a call with %j", async (options, message) => {
    await using server = await faulty(() => {});
    await expect(server.petstore.listPets({}, options)).rejects.toThrow(new TypeError(message));
    await expect(server.petstore.listPets({}, options).orThrow()).rejects.toThrow(TypeError);
    await expect(server.petstore.GET("/pets", options)).rejects.toThrow(TypeError);
    expect(server.requests).toEqual([]);
  });

  test.each<[title: string, fetch: () => unknown, message: string]>([
    [
      "throws a TypeError of its own",
      () => (undefined as unknown as { url: string }).url,
      "Cannot read properties of undefined",
    ],
    [
      "rejects with a TypeError of its own",
      async () => {
        throw new TypeError("no such setting");
      },
      "no such setting",
    ],
    ["returns no Response", async () => ({ data: [] }), "The fetch of the options did not return a Response."],
  ])("a fetch that %s", async (_title, fetch, message) => {
    let count = 0;
    const counted = () => (count++, fetch());
    const petstore = createPetstore({ baseUrl, apiKey: "k", retry: { baseDelay: 1 }, fetch: counted as never });
    await expect(petstore.listPets()).rejects.toThrow(message);
    expect(count).toBe(1);
  });

  test.each([
    "fetch failed",
    "Failed to fetch",
    "Load failed",
    "NetworkError when attempting to fetch resource.",
    "Network request failed",
  ])("but not a fetch whose connection fails: %s", async (message) => {
    const petstore = createPetstore({
      baseUrl,
      apiKey: "k",
      retry: false,
      fetch: async () => {
        throw new TypeError(message);
      },
    });
    expect((await petstore.listPets()).error?.code).toBe("network_error");
  });
});

async function failed(call: Promise<unknown>): Promise<PetstoreError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof PetstoreError)) throw new TypeError("expected a PetstoreError");
  return error;
}
