import { relative } from "node:path";
import { scriptCommand } from "@openapi-operations/command-line";
import { SERVICE } from "@openapi-operations/command-line/name";
import type { ProcessContext, RunningService } from "@openapi-operations/service/serving";
import { migrate } from "@openapi-operations/storage/migrations";
import { openStorage, type StorageOptions } from "@openapi-operations/storage/open-storage";
import type { Storage } from "@openapi-operations/storage/storage";
import { keyUses, type KeyUses } from "./authentication.ts";
import { expireResponses } from "./expired-responses.ts";
import { ensureBootstrapKey, ensureQuickstartKey } from "./first-keys.ts";
import { expectValidScopes } from "./keys.repository.ts";
import type { ApiKeysTables } from "./keys.table.ts";
import { usingDatabase } from "./program.ts";
import type { KeyedConfig, KeyedService } from "./settings.ts";

/**
 * Migrates the database to this version and creates the first API keys. Call it before any process serves requests. A database of
 * a later version stays as it is if this version can serve it.
 */
export async function prepareDatabase(
  config: KeyedConfig,
  { schema, scopes }: Pick<KeyedService, "schema" | "scopes">,
): Promise<void> {
  expectValidScopes(scopes);
  await usingDatabase(config, async (db) => {
    await migrate(db, schema.migrations, { mayBeNewer: true });
    if (config.bootstrapKeyFile !== undefined)
      await ensureBootstrapKey(db, config.bootstrapKeyFile, config.environment);
    if (config.environment === "development") await ensureQuickstartKey(db, config.quickstartFile, scopes);
  });
}

/** Opens the storage of a process, with its metrics, and the buffer for uses of API keys. Both are closed with the process. */
export async function openKeyedStorage<Tables extends ApiKeysTables>(
  { databaseUrl, replicasUrl, checkpoints, backupFolder }: KeyedConfig,
  { metrics, logger, onClose }: ProcessContext,
  options: StorageOptions<Tables> = {},
): Promise<{ storage: Storage<Tables>; keyUses: KeyUses }> {
  const addMetrics = metrics && (await import("@openapi-operations/storage/storage-metrics")).addStorageMetrics; // seldom configured
  const storage = openStorage<Tables>(databaseUrl, {
    ...options,
    onCommit: metrics && addMetrics!(metrics.registry, databaseUrl, backupFolder),
    checkpoints,
    watchedTable: "api_keys",
    replicas: replicasUrl === undefined ? undefined : { url: replicasUrl, logger },
  });
  onClose(() => storage.destroy());
  await storage.open().catch(() => {}); // each request tries again and reports the error
  const { write }: Storage<any> = storage; // the compiler cannot compare Kysely types of generic tables
  const uses = keyUses(write, logger);
  const expiry = expireResponses(write, logger);
  onClose(() => Promise.all([uses.close(), expiry.close()]));
  return { storage, keyUses: uses };
}

/** Returns the text of a service that runs: its addresses, and in development requests to try. */
export function greeting(
  { baseUrl, metricsUrl }: RunningService,
  { environment, processes, quickstartFile }: KeyedConfig,
  { version, curlExamples }: { version: string; curlExamples: readonly string[] },
): string {
  const lines = [
    `${SERVICE.title} ${version} (${environment}${processes === 1 ? "" : `, ${processes} processes`}) is listening on ${baseUrl}`,
    `Try every operation in the API reference at ${new URL("/docs", baseUrl).href}`,
  ];
  if (metricsUrl !== undefined) lines.push(`Metrics are at ${metricsUrl}`);
  if (environment === "development") {
    const keyFile = relative(process.cwd(), quickstartFile).replaceAll("\\", "/");
    const shells = process.platform === "win32" ? ", in PowerShell 7 or Git Bash" : ""; // others read $(cat …) as text
    const curls = curlExamples.map((curl) => curl.replaceAll("{key}", `$(cat ${keyFile})`).replace("{url}", baseUrl));
    lines.push(
      "",
      `Try it from another terminal${shells}:`,
      ...(curls.some((curl) => curl.includes("$TOKEN"))
        ? [`  TOKEN=$(${scriptCommand(`--silent ${SERVICE.name} token`)})`]
        : []),
      ...curls.map((curl) => `  ${curl}`),
      ...(curls.some((curl) => curl.includes(" -u user:password "))
        ? ["  user:password stands for credentials that verifyPassword in apps/server/src/password.ts accepts."]
        : []),
      "",
      "Ctrl+C stops it.",
      "",
    );
  }
  return lines.join("\n");
}
