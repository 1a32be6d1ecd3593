import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startIssuer } from "@openapi-operations/service/issuer";
import { createLogger } from "@openapi-operations/service/request-log";
import type { Service } from "@openapi-operations/service/serving";
import { newDatabase } from "@openapi-operations/storage/testing";
import { type OpenApiDocument, operationsOf } from "openapi-document";
import type { Logger } from "pino";
import { createApiKey } from "../keys.repository.ts";
import { usingDatabase } from "../program.ts";
import { hasTokens } from "../schemes.ts";
import type { KeyedConfig, KeyedService } from "../settings.ts";
import { type Credentials, credentialsOf, operationAt } from "./credentials.ts";
import type { StartService } from "./test-service.ts";

export type { StartService, TestService } from "./test-service.ts";
export { testConformance } from "./conformance.ts";

/** The service of which tests start instances. */
interface TestedService<Config extends KeyedConfig> extends Pick<
  KeyedService<Config>,
  "readConfig" | "schemes" | "scopes"
> {
  document: OpenApiDocument;
  /** Credentials of schemes that a function of the team validates, by the name of the scheme. */
  secrets?: Record<string, string>;
  prepare: (config: Config) => Promise<void>;
  start: (config: Config, logger: Logger) => Promise<Service>;
}

/** Something that requests pass on their way to a service. */
type Proxy = (origin: string) => Promise<{ origin: string; end: () => Promise<void> }>;

let proxyBefore: Proxy | undefined;

/** Puts a proxy before each service that is started from now on. */
export function startBehind(proxy: Proxy | undefined): void {
  proxyBefore = proxy;
}

/** Returns a function that starts the real service on a free port. If a scheme has tokens, an issuer for it runs as well. */
export function starterOf<Config extends KeyedConfig>(service: TestedService<Config>): StartService {
  const { document, schemes, scopes, secrets: own = {} } = service;
  const entries = operationsOf(document);
  const entryOf = new Map(entries.map((entry) => [entry.id, entry]));
  /** Returns the secret of each scheme. */
  const secretsOf = (key: string, token = ""): Record<string, string> => {
    const given = { apiKey: key, token };
    const validated = Object.entries(schemes).flatMap(([name, how]) =>
      typeof how === "string" ? [[name, given[how]]] : [],
    );
    return { ...own, ...(Object.fromEntries(validated) as Record<string, string>) };
  };

  return async (env = {}) => {
    const directory = await mkdtemp(join(tmpdir(), "service-"));
    const database = await newDatabase();
    const issuer = hasTokens(schemes) ? await startIssuer() : undefined;
    const quickstartFile = join(directory, "quickstart.key");
    const settings = { DATABASE_URL: database.url, PORT: "0", ...issuer?.env, ...env };
    const config = { ...service.readConfig(settings), quickstartFile };
    await service.prepare(config);
    const running = await service.start(config, createLogger("silent"));
    const { origin, pathname } = new URL(running.baseUrl);
    const proxy = await proxyBefore?.(origin);
    const baseUrl = (proxy?.origin ?? origin) + pathname.replace(/\/$/, "");
    const key = (await readFile(quickstartFile, "utf8")).trim();
    const secrets = secretsOf(key, await issuer?.token(scopes));
    const credentialsWith = (used: Record<string, string>) => (operationId: string) =>
      credentialsOf(document, entryOf.get(operationId)!, used);

    return {
      baseUrl,
      metricsUrl: running.metricsUrl,
      databaseUrl: config.databaseUrl,
      key,
      credentials: credentialsWith(secrets),
      createLesserCredentials: async () =>
        credentialsWith(secretsOf(await keyWithoutScopes(config), await issuer?.token())),
      request: (path, { key: other, ...init } = {}) => {
        const entry = other === null ? undefined : operationAt(entries, init.method ?? "GET", path);
        const used = typeof other === "string" ? secretsOf(other) : secrets;
        const sent: Credentials = entry ? credentialsOf(document, entry, used) : { headers: {}, query: {} };
        const url = new URL(baseUrl + path);
        for (const [name, value] of Object.entries(sent.query)) url.searchParams.set(name, value);
        const headers = new Headers(init.headers);
        for (const [name, value] of Object.entries(sent.headers)) if (!headers.has(name)) headers.set(name, value);
        return fetch(url, { ...init, headers });
      },
      [Symbol.asyncDispose]: async () => {
        await proxy?.end();
        await running.close();
        await issuer?.[Symbol.asyncDispose]();
        await database.drop();
        await rm(directory, { recursive: true });
      },
    };
  };
}

async function keyWithoutScopes(config: KeyedConfig): Promise<string> {
  const created = { name: "without scopes", environment: config.environment, scopes: [] };
  return (await usingDatabase(config, (db) => createApiKey(db, created))).key;
}
