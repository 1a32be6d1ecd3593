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
  /** The file or folder of its generated code, if it has any. */
  generated?: string;
  /** Returns a call of the same operation, for a service that responds with a small object. */
  connect: (folder: string, baseUrl: string, fetch?: Fetch) => Promise<Call>;
}

async function load<Exports>(folder: string, module: string): Promise<Exports> {
  return (await import(pathToFileURL(join(folder, module)).href)) as Exports;
}

type Methods = Record<string, (...args: unknown[]) => Promise<unknown>>;

/** The clients by name. */
export const CLIENTS: Record<string, Client> = {
  "fetch-operations": {
    module: "own/client.js",
    generated: "own",
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
    generated: "own/schema.ts", // by openapi-typescript alone
    oneCall: `export { default } from "openapi-fetch";`,
    connect: async (folder, baseUrl, fetch) => {
      const theirs = await load<{ default: (options: object) => Methods }>(folder, "peers/openapi-fetch.js");
      const client = theirs.default({ baseUrl, ...(fetch && { fetch }) });
      return () => client["GET"]!("/books/{id}", { params: { path: { id: 1 }, query: { q: "a b" } } });
    },
  },
  "hey-api": {
    module: "hey/sdk.gen.js",
    generated: "hey",
    oneCall: `export { getBook } from "./hey/sdk.gen.js"; export { client } from "./hey/client.gen.js";`,
    connect: async (folder, baseUrl, fetch) => {
      const { getBook } = await load<Methods>(folder, "hey/sdk.gen.js");
      const { client } = await load<{ client: { setConfig: (config: object) => void } }>(folder, "hey/client.gen.js");
      client.setConfig({ baseUrl, fetch: fetch ?? globalThis.fetch });
      return () => getBook!({ path: { id: 1 }, query: { q: "a b" }, throwOnError: true });
    },
  },
  orval: {
    module: "orval/books.js",
    generated: "orval",
    oneCall: `export { getBook } from "./orval/books.js"; export { connection } from "./orval/fetch.js";`,
    connect: async (folder, baseUrl, fetch) => {
      const { connection } = await load<{ connection: object }>(folder, "orval/fetch.js");
      const { getBook } = await load<Methods>(folder, "orval/books.js");
      Object.assign(connection, { baseUrl, fetch: fetch ?? globalThis.fetch });
      return () => getBook!(1, { q: "a b" });
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
};
