import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { basePathOf } from "openapi-contract/bundle";
import { createMock, type MockOptions } from "../../src/mock/mock.ts";

/** The options of a request, with headers by their names. */
export type MockInit = Omit<RequestInit, "headers"> & { headers?: Record<string, string> };

/** Requests a path below the base path of a mock, with a key unless `init` has another. */
export type MockRequest = (path: string, init?: MockInit) => Promise<Response>;

/** Serves a document on a free port until the test is over. */
export async function serve(options: MockOptions): Promise<{ baseUrl: string; request: MockRequest }> {
  const server = createServer(createMock(options)).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}${basePathOf(options.document)}`;
  const request: MockRequest = (path, { headers, ...init } = {}) =>
    fetch(baseUrl + path, { ...init, headers: { Authorization: "Bearer any-key", ...headers } });
  return { baseUrl, request };
}

/** A request with a value as JSON. */
export function json(body: unknown, { method = "POST", ...headers }: Record<string, string> = {}): MockInit {
  return { method, headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) };
}
