import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
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
  /** Additional modules: `contract-check`, `testing` and `react-query`. */
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
export type Feature = "contract-check" | "testing" | "react-query";

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

/** Returns the configuration. It exists for its types. */
export function defineConfig(config: Config): Config {
  return config;
}

const KEYS = {
  contract: "string",
  output: "string",
  name: "string",
  version: "string",
  types: "string",
  security: "object",
  error: "object",
  requestIdHeader: "string",
  idempotencyHeader: "string",
  pagination: "object",
  operations: "object",
  importExtension: "string",
  features: "object",
  int64: "string",
  dates: "string",
  publishedContract: "string",
};

/** Reads a configuration: a JSON file, or a module with a default export. Rejects with a message that names the setting. */
export async function loadConfig(path: string): Promise<LoadedConfig> {
  const file = resolve(path);
  const config: unknown = file.endsWith(".json")
    ? parse(await read(file), file)
    : ((await import(pathToFileURL(file).href)) as { default?: unknown }).default;
  if (typeof config !== "object" || config === null)
    throw new ConfigError(`${path} has no configuration. Export it as default.`);
  for (const [key, value] of Object.entries(config)) {
    if (!Object.hasOwn(KEYS, key))
      throw new ConfigError(
        `${path} has the unknown setting "${key}". The settings are ${Object.keys(KEYS).join(", ")}.`,
      );
    const type = KEYS[key as keyof typeof KEYS];
    if (typeof value !== type) throw new ConfigError(`The setting "${key}" in ${path} is not of the type ${type}.`);
  }
  const given = config as Config;
  for (const key of ["contract", "output", "name"] as const)
    if (!given[key]) throw new ConfigError(`${path} has no setting "${key}".`);
  if (!/^[A-Z][A-Za-z0-9]*$/.test(given.name))
    throw new ConfigError(`The setting "name" in ${path} is ${JSON.stringify(given.name)}. Write it as in "Bookshop".`);
  const at = (value: string) => (/^https?:/.test(value) ? value : resolve(dirname(file), value));
  return {
    ...given,
    file,
    contract: at(given.contract),
    output: at(given.output),
    ...(given.types !== undefined && { types: at(given.types) }),
  };
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
