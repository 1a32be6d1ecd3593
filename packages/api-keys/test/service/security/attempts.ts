import { METHODS } from "node:http";
import { openDatabase } from "@openapi-operations/storage/database";
import type { OpenApiDocument } from "express-operations";
import { type Example, exampleRequests } from "express-operations/conformance";
import { generateApiKey, hashApiKey } from "../../../src/api-key.ts";
import { createApiKey, revokeApiKey } from "../../../src/keys.repository.ts";
import type { WireRequest } from "./wire.ts";

/** A valid request of an operation, without a key. */
export interface Plain extends WireRequest {
  operationId: string;
}

/** A valid request of every operation in the contract, on the wire. */
export function plainRequests(document: OpenApiDocument, basePath: string): Plain[] {
  return exampleRequests(document).map(({ operationId, method, target, headers, body }: Example) => {
    if (body instanceof FormData) throw new Error(`Say here how the form of ${operationId} is sent.`);
    return {
      operationId,
      method,
      target: basePath + target,
      headers: [["Host", "things"], ...Object.entries(headers)],
      body,
    };
  });
}

/** The headers and query of a credential. */
export interface Credential {
  headers: [name: string, value: string][];
  query?: string;
}

/** Returns invalid credentials of every kind, by description. `key` is a valid key with every scope. */
export async function invalidCredentials(databaseUrl: string, key: string): Promise<Record<string, Credential>> {
  const db = openDatabase(databaseUrl);
  try {
    const settings = { name: "canary", environment: "development" } as const;
    const expired = await createApiKey(db, { ...settings, expiresAt: Date.now() });
    const revoked = await createApiKey(db, settings);
    await revokeApiKey(db, revoked.id);
    const unknown = generateApiKey("development");
    const authorization = (...values: string[]): Credential => ({
      headers: values.map((value) => ["Authorization", value]),
    });
    const otherEnd = key.endsWith("0") ? "1" : "0";
    return {
      "no key": { headers: [] },
      "an empty header": authorization(""),
      "a scheme alone": authorization("Bearer"),
      "a malformed key": authorization("Bearer nonsense"),
      "a key with a bad checksum": authorization(`Bearer ${key.slice(0, -1)}${otherEnd}`),
      "a key cut short": authorization(`Bearer ${key.slice(0, -1)}`),
      "a key and more": authorization(`Bearer ${key}A`),
      "a key in another case": authorization(`Bearer ${key.toUpperCase()}`),
      "an unknown key": authorization(`Bearer ${unknown}`),
      "an unknown key, the scheme in lower case": authorization(`bearer ${unknown}`),
      "an expired key": authorization(`Bearer ${expired.key}`),
      "a revoked key": authorization(`Bearer ${revoked.key}`),
      "the hash of a key": authorization(`Bearer ${hashApiKey(key)}`),
      "a pattern": authorization("Bearer %"),
      SQL: authorization("Bearer ' or 1=1 --"),
      "the scheme Basic": authorization(`Basic ${key}`),
      "the scheme Basic, as its user": authorization(`Basic ${btoa(`${key}:`)}`),
      "another scheme": authorization(`Token ${key}`),
      "no scheme": authorization(key),
      "a repeated header": authorization(`Bearer ${key}`, `Bearer ${key}`),
      "a repeated header, first unknown": authorization(`Bearer ${unknown}`, `Bearer ${key}`),
      "a repeated header, last unknown": authorization(`Bearer ${key}`, `Bearer ${unknown}`),
      "two keys in one header": authorization(`Bearer ${key}, Bearer ${key}`),
      "a key in other headers": {
        headers: [
          ["X-API-Key", key],
          ["Cookie", `access_token=${key}; Authorization=Bearer ${key}`],
          ["Proxy-Authorization", `Bearer ${key}`],
          ["X-Authorization", `Bearer ${key}`],
          ["X-Forwarded-For", "127.0.0.1"],
        ],
      },
      "a key in the query": { headers: [], query: `access_token=${key}&api_key=${key}` },
    };
  } finally {
    await db.destroy();
  }
}

/** Other ways to write the path of a request. */
const PATHS: Record<string, (path: string) => string> = {
  "a trailing slash": (path) => `${path}/`,
  "two slashes": (path) => path.replace(/\/(?=[^/]+$)/, "//"),
  "two slashes in front": (path) => `/${path}`,
  "a dot segment": (path) => path.replace(/\/(?=[^/]+$)/, "/./"),
  "two dot segments": (path) => path.replace(/\/(?=[^/]+$)/, "/x/../"),
  "encoded dot segments": (path) => path.replace(/\/(?=[^/]+$)/, "/x/%2e%2E/"),
  "a path from outside": (path) => `/healthz/..${path}`,
  "an encoded letter": (path) => path.replace(/[a-z](?=[^a-z]*$)/, (letter) => percent(letter)),
  "every letter encoded": (path) => path.replaceAll(/[a-z]/g, (letter) => percent(letter)),
  "letters encoded twice": (path) => path.replaceAll(/[a-z]/g, (letter) => percent(letter).replace("%", "%25")),
  "encoded slashes": (path) => path.replaceAll(/(?<=.)\//g, "%2F"),
  backslashes: (path) => path.replaceAll(/(?<=.)\//g, "\\"),
  "upper case": (path) => path.toUpperCase(),
  "a capital": (path) => path.replace(/[a-z](?=[a-z]*$)/, (letter) => letter.toUpperCase()),
  "a path parameter": (path) => `${path};a=b`,
  "an encoded NUL": (path) => `${path}%00`,
  "an encoded space": (path) => `${path}%20`,
  "an extension": (path) => `${path}.json`,
  "an encoded question mark": (path) => `${path}%3Fa=b`,
  "a fragment": (path) => `${path}#`,
  "the absolute form": (path) => `http://things${path}`,
  "the absolute form, of another host": (path) => `https://admin@127.0.0.1:1${path}`,
  "no slash in front": (path) => path.slice(1),
  "no base path": (path) => path.replace(/^\/[^/]+/, ""),
};

/** Headers that some frameworks and proxies read as the method, the path or the address of the sender. */
const OVERRIDES: [name: string, value: string][][] = [
  ...["GET", "HEAD", "OPTIONS", "POST"].flatMap((method) =>
    ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"].map((name): [string, string][] => [
      [name, method],
    ]),
  ),
  [["X-Original-URL", "/healthz"]],
  [["X-Rewrite-URL", "/healthz"]],
  [
    ["X-Forwarded-For", "127.0.0.1"],
    ["X-Real-IP", "127.0.0.1"],
    ["Forwarded", "for=127.0.0.1"],
    ["X-Forwarded-User", "admin"],
  ],
  [
    ["Connection", "Upgrade, HTTP2-Settings"],
    ["Upgrade", "h2c"],
    ["HTTP2-Settings", "AAMAAABkAAQCAAAAAAIAAAAA"],
  ],
];

/** Returns a request with other paths, methods and headers, by description, and also the request itself. */
export function variantsOf(request: WireRequest): Record<string, WireRequest> {
  const variants: Record<string, WireRequest> = { "as the contract has it": request };
  const [path = "", query] = request.target.split("?");
  for (const [title, change] of Object.entries(PATHS))
    variants[title] = { ...request, target: change(path) + (query === undefined ? "" : `?${query}`) };
  for (const method of [...METHODS, "BREW", request.method.toLowerCase()])
    if (method !== request.method && method !== "CONNECT") variants[`the method ${method}`] = { ...request, method };
  for (const method of METHODS) {
    const target = request.target + (query === undefined ? "?" : "&");
    if (method === "GET" || method === "POST")
      variants[`_method=${method}`] = { ...request, target: `${target}_method=${method}` };
  }
  for (const headers of OVERRIDES) {
    const title = headers.map((header) => header.join(": ")).join(", ");
    variants[title] = { ...request, headers: [...request.headers, ...headers] };
  }
  return variants;
}

/** The request with a credential, which comes before its own headers. */
export function withCredential<Request extends WireRequest>(request: Request, { headers, query }: Credential): Request {
  const separator = request.target.includes("?") ? "&" : "?";
  const target = query === undefined ? request.target : request.target + separator + query;
  return { ...request, target, headers: [...headers, ...request.headers] };
}

function percent(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16)}`;
}
