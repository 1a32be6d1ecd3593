import createOpenapiClient from "openapi-fetch";
import type { Api } from "./api.ts";
import type { Connection, Part } from "./call/exchange.ts";
import { deprecations, hooks, idleTimeouts, ownWrites, retries } from "./call/call-parts.ts";
import { addressOf, type ClientOptions, LIMITS, type Limits, numbersOf, rejectUnknown } from "./options.ts";
import type { Credential } from "./parts/authentication.ts";

const OPTIONS = ["baseUrl", "servers", "credentials", "fetch", "fetchOptions", "headers"];

/**
 * Checks the options and returns a connection with every optional part. Throws a TypeError for an invalid option; its message
 * never contains a credential.
 */
export function connectTo(api: Api, options: ClientOptions): Connection {
  return connectWith(api, options, retries, hooks, deprecations, userAgents, idleTimeouts, ownWrites);
}

/**
 * Checks the options and returns a connection with optional parts. Throws a TypeError for an invalid option; its message never
 * contains a credential.
 */
export function connectWith(api: Api, options: ClientOptions, ...parts: Part[]): Connection {
  const { baseUrl, headers, servers = {} } = options;
  const address = addressOf("baseUrl", baseUrl);
  checkOptions(api, options, parts);
  rejectUnknown(servers, api.servers ?? [], "servers.");
  const own = new Map(Object.entries(servers).map(([url, server]) => [url, addressOf(`servers.${url}`, server)]));
  const limitsOf = parts.find((part) => part.limits)?.limits ?? numbersOf;
  const limits = limitsOf(options, Object.assign({}, LIMITS, ...parts.map(({ defaults }) => defaults)) as Limits);
  const shared = parts.map((part) => part.headers?.(api, options));
  const client = createOpenapiClient({
    headers: Object.assign({}, ...shared, headers) as Record<string, string>,
    // Following a redirect could change POST into GET or leave the origin. The call reports it.
    redirect: "manual",
  });
  return {
    api,
    baseUrl: address,
    baseUrlOf: ({ server }) => own.get(server!) ?? address, // no key is undefined
    options: () => options,
    limits,
    limitsOf,
    parts,
    ofCalls: [
      "timeout",
      "attemptTimeout",
      ...parts.flatMap(({ ofCalls = [] }) => ofCalls),
      "signal",
      "headers",
      "fetch",
      "baseUrl",
      "credentials",
    ],
    budget: { left: limits.retryBudget, max: limits.retryBudget },
    reported: new Set(),
    tokens: {},
    credential: (name) => credentialOf(api, options, name),
    client: client as unknown as Connection["client"],
  };
}

function checkOptions(api: Api, options: ClientOptions, parts: Part[]): void {
  checkCredentials(api, options);
  const own = Object.values(api.schemes).map(({ option }) => option ?? []);
  rejectUnknown(options, [OPTIONS, Object.keys(LIMITS), ...own, ...parts.map((part) => part.options)].flat());
  for (const [name, value] of Object.entries(options) as [string, unknown][])
    if (
      /^(?:on[A-Z]|fetch$)/.test(name) &&
      typeof (value ?? checkOptions) !== "function" &&
      (value !== false || name !== "onDeprecated")
    )
      throw new TypeError(`${name} must be a function.`);
}

function credentialOf({ schemes }: Api, options: ClientOptions, name: string): Credential | undefined {
  const option = schemes[name]?.option;
  if (option !== undefined) return (options as never)[option];
  return Object.hasOwn(options.credentials ?? {}, name) ? options.credentials![name] : undefined;
}

function checkCredentials(api: Api, options: ClientOptions): void {
  rejectUnknown(options.credentials ?? {}, Object.keys(api.schemes), "credentials.");
  for (const [name, { option, problemOf }] of Object.entries(api.schemes)) {
    const credential = credentialOf(api, options, name);
    if (typeof credential === "function" || (option === undefined && credential === undefined)) continue;
    const problem = problemOf(credential);
    if (problem) throw new TypeError(`${option ?? `credentials.${name}`} ${problem}`);
  }
}

/** Sends the name and the version of the client and of the runtime as `User-Agent`, or that of the option `userAgent`. */
export const userAgents: Part = {
  options: ["userAgent"],
  headers: (api, { userAgent = userAgentOf(api) }) => ({ "User-Agent": userAgent || undefined }),
};

/**
 * Returns the `User-Agent` of a client, with name and version of the runtime. Returns undefined in browsers, where the header
 * would cost each request to another origin a preflight.
 */
function userAgentOf({ name, version }: Api): string | undefined {
  const { process, navigator } = globalThis as {
    process?: { versions?: Record<string, string | undefined> };
    navigator?: { userAgent?: string };
  };
  const versions = process?.versions;
  // Bun and Deno have a version of Node as well.
  const runtime = ["bun", "deno", "node"].find((candidate) => versions?.[candidate]);
  const isWorker = navigator?.userAgent === "Cloudflare-Workers";
  if (!runtime && !isWorker) return undefined;
  return `${name.toLowerCase()}-client/${version} ${isWorker ? "workerd" : `${runtime}/${versions![runtime!]}`}`;
}

/**
 * Fills in the variables of a server's URL. A value of undefined is an error, as is a slash that would cut off the host of the
 * contract: `evil.example/x` in `https://{region}.example.com`.
 */
export function fillServer(url: string, variables: Readonly<Record<string, string | undefined>>): string {
  return url.replaceAll(/\{([^{}]+)\}/g, (variable, name: string, at: number) => {
    const value = variables[name];
    // A slash belongs to the path, or to a variable at the end of the host.
    const isInHost = !/^[^/]*:\/\/[^/]*\//.test(url.slice(0, at));
    const cutsHost = isInHost && /\//.test(value ?? "") && /^[^/]/.test(url.slice(at + variable.length));
    if (value === undefined || cutsHost || !/^(?!(?:.*\/)?\.{1,2}(?:\/|$))[\w.~:-]+(?:\/[\w.~:-]+)*$/.test(value))
      throw new TypeError(
        `The server variable "${name}" is ${JSON.stringify(value)}. Pass letters, digits and . _ ~ : - /`,
      );
    return value;
  });
}
