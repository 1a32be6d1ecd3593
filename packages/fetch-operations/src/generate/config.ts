import { readFile, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { Pagination } from "../operation.ts";

/** The configuration of a generated client. Paths are relative to the configuration file. */
export interface Config {
  /** The OpenAPI document: the path or the URL of a YAML or JSON file. It may refer to other files. */
  contract: string;
  /** The folder of the generated files. It holds nothing else. */
  output: string;
  /** The name in `createBookshop`, `Bookshop`, `BookshopOptions` and `BookshopError`, for `Bookshop`. */
  name: string;
  /** The version in the `User-Agent`. Default: the `info.version` of the contract. */
  version?: string;
  /** A file with the contract's types by openapi-typescript, to be copied. Default: the generator writes them. */
  types?: string;
  /** The client's option for the credential of a security scheme, by scheme: `{ bearerAuth: "apiKey" }`. */
  security?: Record<string, string>;
  /** The error of the contract. Without it, every error body of the contract is accepted. */
  error?: {
    /** The name of the schema. */
    schema: string;
    /** The fields that hold code and message. Default: `code` and `message`. */
    code?: string;
    message?: string;
    /** The codes of transient failures, beside the transient statuses. */
    transient?: string[];
  };
  /** The response header that identifies a request in the service's log. Default: `X-Request-Id`. */
  requestIdHeader?: string;
  /** The request header that makes a repeat safe, in operations that declare it. Default: `Idempotency-Key`. */
  idempotencyHeader?: string;
  /** How operations with these parameters are read page by page. The first that fits an operation applies. */
  pagination?: Pages[];
  /** The extension of imports between the generated files: `.js` (default), `.ts`, or "" for tools that resolve no extension. */
  importExtension?: ".js" | ".ts" | "";
  /** Additional modules: `contract-check`, `enums`, `errors`, `testing`, `react-query`, `swr`, `zod` and `valibot`. */
  features?: Feature[];
  /** The URL of the published contract, relative to the base URL, for the contract check. Default: `../openapi.json`. */
  publishedContract?: string;
  /** The type of integers with `format: int64`. A `number` never rounds: larger integers end as a failure. Default: `number`. */
  int64?: "number" | "bigint";
  /** The type of dates: `Date` for `format: date-time`, or the types of `Temporal` for this and for `date`. Default: `string`. */
  dates?: "string" | "Date" | "Temporal";
  /** Settings of single operations, by operationId. `false` leaves an operation out. */
  operations?: Record<string, OperationConfig | false>;
}

/** A part of the client that not every program needs. */
export type Feature = (typeof FEATURES)[number];

const FEATURES = ["contract-check", "enums", "errors", "testing", "react-query", "swr", "zod", "valibot"] as const;

/** The settings of one operation. They override its extensions `x-retryable` and `x-pagination`. */
export interface OperationConfig {
  /** The name of its method. */
  name?: string;
  /** Whether a repeat is safe. Default: `GET`, `HEAD`, and operations with the idempotency header. */
  retry?: boolean;
  pagination?: Pages | false;
}

/** A pagination, with defaults: `items` is "", and `first` is 1. */
export type Pages = Partial<Pagination> & Pick<Pagination, "by">;

/** A configuration with absolute paths. */
export interface LoadedConfig extends Config {
  /** The path of the configuration, for messages. */
  file: string;
}

/** Returns the configuration of a client, or of several. It exists for its types. */
export function defineConfig<One extends Config | Config[]>(config: One): One {
  return config;
}

/** What a setting may be: of a type, one of several strings, a list, or an object with certain fields or with any. */
type Kind = "string" | "number" | "boolean" | string[] | { list: Kind } | Fields | { each: Kind };
type Fields = { fields: Record<string, Kind>; mayBeFalse?: true };

const PAGES: Fields = {
  fields: {
    by: ["link", "cursor", "offset", "page"],
    inBody: "boolean",
    first: "number",
    ...Object.fromEntries(
      ["items", "cursor", "next", "last", "offset", "limit", "total", "page"].map((name) => [name, "string" as const]),
    ),
  },
};

const SETTINGS: Fields & { fields: Record<keyof Config, Kind> } = {
  fields: {
    contract: "string",
    output: "string",
    name: "string",
    version: "string",
    types: "string",
    security: { each: "string" },
    error: { fields: { schema: "string", code: "string", message: "string", transient: { list: "string" } } },
    requestIdHeader: "string",
    idempotencyHeader: "string",
    pagination: { list: PAGES },
    operations: {
      each: {
        fields: { name: "string", retry: "boolean", pagination: { ...PAGES, mayBeFalse: true } },
        mayBeFalse: true,
      },
    },
    importExtension: [".js", ".ts", ""],
    features: { list: [...FEATURES] },
    int64: ["number", "bigint"],
    dates: ["string", "Date", "Temporal"],
    publishedContract: "string",
  },
};

/**
 * Reads the configurations of one client or of several: a JSON file, or a module with a default export. Rejects with a message that
 * names the setting.
 */
export async function loadConfig(path: string): Promise<LoadedConfig[]> {
  const file = resolve(path);
  const text = await read(file);
  const config: unknown = file.endsWith(".json")
    ? parse(text, file)
    : ((await import(pathToFileURL(file).href)) as { default?: unknown }).default;
  const all: unknown[] = Array.isArray(config) && config.length > 0 ? config : [config];
  const loaded = all.map((one, index) => checked(one, all.length > 1 ? `${path} (client ${index + 1})` : path, file));
  const folders = await Promise.all(loaded.map(({ output }) => realPath(output)));
  for (const [index, folder] of folders.entries()) {
    const other = folders.findIndex((each, at) => at !== index && `${folder}${sep}`.startsWith(`${each}${sep}`));
    if (other !== -1)
      throw new ConfigError(
        `Two clients in ${path} have the outputs ${loaded[other]!.output} and ${loaded[index]!.output}, which is the same folder or in it. Name another folder.`,
      );
  }
  return loaded;
}

/** Resolves to a path without symbolic links. The folders at its end need not exist. */
async function realPath(path: string): Promise<string> {
  const parent = dirname(path);
  return realpath(path).catch(async () => (parent === path ? path : join(await realPath(parent), basename(path))));
}

function checked(config: unknown, path: string, file: string): LoadedConfig {
  if (!isObject(config))
    throw new ConfigError(
      `${path} has no configuration. Write an object with contract, output and name, or an array of them${file.endsWith(".json") ? "" : ", and export it as default"}.`,
    );
  checkSetting(config, SETTINGS, "", path);
  const given = config as Config;
  for (const key of ["contract", "output", "name"] as const)
    if (!given[key]) throw new ConfigError(`${path} has no setting "${key}". Add it.`);
  if (!/^[A-Z][A-Za-z0-9]*$/.test(given.name))
    throw new ConfigError(
      `The setting "name" in ${path} is ${JSON.stringify(given.name)}. Write a name such as "Bookshop".`,
    );
  const at = (value: string) => (/^https?:/.test(value) ? value : resolve(dirname(file), value));
  return {
    ...given,
    file,
    contract: at(given.contract),
    output: at(given.output),
    ...(given.types !== undefined && { types: at(given.types) }),
  };
}

/** Throws for a setting, or for one in it, that is not of its kind. */
function checkSetting(value: unknown, kind: Kind, name: string, path: string): void {
  const fail = (expected: string): never => {
    throw new ConfigError(`The setting "${name}" in ${path} is ${JSON.stringify(value)}. Write ${expected}.`);
  };
  if (typeof kind === "string") {
    if (typeof value !== kind) fail(`a ${kind}`);
  } else if (Array.isArray(kind)) {
    if (!kind.includes(value as string)) fail(`one of ${kind.map((each) => JSON.stringify(each)).join(", ")}`);
  } else if ("list" in kind) {
    if (!Array.isArray(value)) return fail("an array");
    for (const [index, item] of value.entries()) checkSetting(item, kind.list, `${name}[${index}]`, path);
  } else {
    if ("mayBeFalse" in kind && value === false) return;
    if (!isObject(value)) return fail("mayBeFalse" in kind ? "an object or false" : "an object");
    for (const [key, item] of Object.entries(value)) {
      const own = name === "" ? key : `${name}.${key}`;
      if ("fields" in kind && !Object.hasOwn(kind.fields, key))
        throw new ConfigError(
          `${path} has the unknown setting "${own}". The settings are ${Object.keys(kind.fields).join(", ")}.`,
        );
      checkSetting(item, "fields" in kind ? kind.fields[key]! : kind.each, own, path);
    }
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The error of a configuration, with the remedy. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

async function read(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => {
    throw new ConfigError(`There is no file ${file}. Create it, or name another with --config.`);
  });
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${file} is not JSON: ${(error as Error).message}`);
  }
}
