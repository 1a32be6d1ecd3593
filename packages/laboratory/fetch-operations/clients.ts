import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** One call of a client. */
export type Call = () => Promise<unknown>;

type Fetch = (input: never, init?: never) => Promise<Response>;

/** A client to compare. Paths are relative to the folder of the benchmark. */
export interface Client {
  /** The module that a program imports. */
  module: string;
  /** A module with all that a program with one call needs. */
  oneCall: string;
  /** Returns a call of the same operation, or of one alike, for a service that responds with a small object. */
  connect: (folder: string, baseUrl: string, fetch?: Fetch) => Promise<Call>;
}

async function load<Exports>(folder: string, module: string): Promise<Exports> {
  return (await import(pathToFileURL(join(folder, module)).href)) as Exports;
}

type Methods = Record<string, (...args: unknown[]) => Promise<unknown>>;
type Class = new (options: object) => Record<string, Methods>;

/** The clients by name. stripe and openai call an operation of their own service, with a path and the same response. */
export const CLIENTS: Record<string, Client> = {
  "fetch-operations": {
    module: "own/client.js",
    oneCall: `export { call, connectWith } from "fetch-operations"; export { api } from "./own/api.js"; export { getBook } from "./own/operations.js";`,
    connect: async (folder, baseUrl, fetch) => {
      type Book = { getBook: (input: object) => { orThrow: () => Promise<unknown> } };
      const own = await load<{ createBench: (options: object) => Book }>(folder, "own/client.js");
      const client = own.createBench({ baseUrl, fetch });
      return () => client.getBook({ id: 1, q: "a b" }).orThrow();
    },
  },
  "openapi-fetch": {
    module: "peers/openapi-fetch.js",
    oneCall: `export { default } from "openapi-fetch";`,
    connect: async (folder, baseUrl, fetch) => {
      const theirs = await load<{ default: (options: object) => Methods }>(folder, "peers/openapi-fetch.js");
      const client = theirs.default({ baseUrl, ...(fetch && { fetch }) });
      return () => client["GET"]!("/books/{id}", { params: { path: { id: 1 }, query: { q: "a b" } } });
    },
  },
  "hey-api": {
    module: "hey/sdk.gen.js",
    oneCall: `export { getBook } from "./hey/sdk.gen.js"; export { client } from "./hey/client.gen.js";`,
    connect: async (folder, baseUrl, fetch) => {
      const { getBook } = await load<Methods>(folder, "hey/sdk.gen.js");
      const { client } = await load<{ client: { setConfig: (config: object) => void } }>(folder, "hey/client.gen.js");
      client.setConfig({ baseUrl, fetch: fetch ?? globalThis.fetch });
      return () => getBook!({ path: { id: 1 }, query: { q: "a b" }, throwOnError: true });
    },
  },
  ky: {
    module: "peers/ky.js",
    oneCall: `export { default } from "ky";`,
    connect: async (folder, baseUrl, fetch) => {
      type Ky = { get: (path: string, options: object) => { json: () => Promise<unknown> } };
      const { default: ky } = await load<{ default: { create: (options: object) => Ky } }>(folder, "peers/ky.js");
      const client = ky.create({ baseUrl: `${baseUrl}/`, ...(fetch && { fetch }) });
      return () => client.get("books/1", { searchParams: { q: "a b" } }).json();
    },
  },
  stripe: {
    module: "peers/stripe.js",
    oneCall: `export { default } from "stripe";`,
    connect: async (folder, baseUrl, fetch) => {
      type Stripe = (new (key: string, options: object) => Record<string, Methods>) & {
        createFetchHttpClient: (fetch?: Fetch) => object;
      };
      const { default: Stripe } = await load<{ default: Stripe }>(folder, "peers/stripe.js");
      const { hostname: host, port } = new URL(baseUrl);
      const httpClient = Stripe.createFetchHttpClient(fetch);
      const client = new Stripe("sk_test_bench", { host, port, protocol: "http", httpClient, telemetry: false });
      return () => client["customers"]!["retrieve"]!("1");
    },
  },
  openai: {
    module: "peers/openai.js",
    oneCall: `export { default } from "openai";`,
    connect: async (folder, baseUrl, fetch) => {
      const { default: OpenAI } = await load<{ default: Class }>(folder, "peers/openai.js");
      const client = new OpenAI({ apiKey: "bench", baseURL: baseUrl, ...(fetch && { fetch }) });
      return () => client["models"]!["retrieve"]!("1");
    },
  },
  octokit: {
    module: "peers/octokit.js",
    oneCall: `export { Octokit } from "octokit";`,
    connect: async (folder, baseUrl, fetch) => {
      type Octokit = { request: (route: string, parameters: object) => Promise<unknown> };
      type Exports = { Octokit: new (options: object) => Octokit };
      const { Octokit } = await load<Exports>(folder, "peers/octokit.js");
      // Its throttling sends requests one at a time.
      const client = new Octokit({ baseUrl, throttle: { enabled: false }, ...(fetch && { request: { fetch } }) });
      return () => client.request("GET /books/{id}", { id: 1, q: "a b" });
    },
  },
};
