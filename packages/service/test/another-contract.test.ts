import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { startThings } from "../testing/start-things.ts";

describe("a service without a base path", () => {
  test("serves its operations beside its own paths", async () => {
    await using service = await startThings({ basePath: "" });
    expect(new URL(service.baseUrl).pathname).toBe("/");
    const paths = ["/things", "/healthz", "/readyz", "/openapi.json", "/docs", "/nowhere"];
    const statuses = await Promise.all(paths.map(async (path) => (await service.request(path)).status));
    expect(statuses).toEqual([200, 200, 200, 200, 200, 404]);
    expect((await service.request("/things", { token: null })).status).toBe(401);
  });
});

// As in the Train Travel API, and with every other character that is syntax for Express.
test.each(["/rest/Train+Travel+API/1.0.0", "/a!b:c*d(e)[f]", "/caf%C3%A9%20%7Bx%7D"])(
  "the base path %s is taken literally, with and without Express's router",
  async (basePath) => {
    await using service = await startThings({ basePath });
    const directly = await service.request("/things");
    const routed = await fetch(`${service.baseUrl}?x`, { headers: { Authorization: "Bearer good" } });
    expect([directly.status, routed.status]).toEqual([200, 404]);
    expect(await routed.text()).toContain("Paths are case-sensitive"); // from the API
    const other = basePath.replace("+", "n").replace("*d", "ddd").replace("%20", "+");
    const outside = await fetch(new URL(`${other}/things`, service.baseUrl));
    expect(await outside.text()).toContain("The operations are below"); // from the service
  },
);

describe("the format of errors", () => {
  const errorFormat = ({ status, message }: { status: number; message: string }) => ({
    contentType: "application/problem+json",
    body: { title: message, status },
  });

  test("holds for operations, unknown paths, failures, and requests that Node's parser rejects", async () => {
    await using service = await startThings({
      errorFormat,
      before: () => {
        throw new Error("internal");
      },
    });
    const responses = [
      [await service.request("/things", { token: null }), 401],
      [await service.request("/things"), 500],
      [await fetch(new URL("/nowhere", service.baseUrl)), 404],
    ] as const;
    for (const [response, status] of responses) {
      expect(response.headers.get("Content-Type")).toBe("application/problem+json");
      expect(await response.json()).toEqual({ title: expect.any(String), status });
    }
    const raw = await rawResponse(service.baseUrl, "NONSENSE\r\n\r\n");
    expect(raw).toMatch(/^HTTP\/1\.1 400 [^]*Content-Type: application\/problem\+json[^]*"status":400\}$/);
  });

  test("may be a text", async () => {
    await using service = await startThings({
      errorFormat: ({ message }) => ({ contentType: "text/plain", body: message }),
    });
    const response = await fetch(new URL("/nowhere", service.baseUrl));
    expect(await response.text()).toMatch(/^There is no resource at this path\./);
  });
});

async function rawResponse(baseUrl: string, sent: string): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write(sent);
  return text(socket);
}
