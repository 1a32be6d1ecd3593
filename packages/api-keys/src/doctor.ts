import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { json } from "node:stream/consumers";
import { isValidIn } from "./api-key.ts";
import { isExpired, listApiKeys } from "./keys.repository.ts";
import { printJson, withProgress } from "@openapi-operations/command-line";
import { SERVICE } from "@openapi-operations/command-line/name";
import { get } from "@openapi-operations/service/node-http";
import { ConfigError, variableOf } from "@openapi-operations/service/settings";
import { openDatabase, useAndClose } from "@openapi-operations/storage/database";
import {
  examineBackups,
  examineDatabase,
  examineLog,
  examineReplicas,
  type Finding,
} from "@openapi-operations/storage/examine";
import type { Schema } from "@openapi-operations/storage/registration";
import { isPostgresUrl, pathOfFileUrl } from "@openapi-operations/storage/url";
import type { Command } from "commander";
import type { ApiKeysTables } from "./keys.table.ts";
import type { KeyedConfig, KeyedService } from "./settings.ts";

/** The parts of a service that `doctor` examines. */
type Examined = Pick<KeyedService, "version" | "readConfig" | "schema">;

/** The result of one check. */
export interface Check extends Finding {
  check: string;
}

/** The timeout for a response from `/readyz`. The service itself waits up to one second for its database. */
const DEADLINE_MS = 3_000;

/** The number of keys that a finding names. */
const MOST_NAMED = 5;

/** Checks settings, versions, service, database, migrations, keys, replicas, disk and backups. Changes no data. */
export async function examine({ version, readConfig, schema }: Examined, env: NodeJS.ProcessEnv): Promise<Check[]> {
  const versions = `${SERVICE.name} ${version}, Node ${process.versions.node}`;
  let config: KeyedConfig;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const invalid = error.message.split("\n").map((remedy): Check => ({ check: "settings", found: "wrong", remedy }));
    return [...invalid, { check: "versions", found: versions }];
  }
  const known: Check[] = [
    { check: "settings", found: `${config.environment}, to listen on ${config.host}:${config.port}` },
    { check: "versions", found: versions },
    await examineService(config),
  ];
  const examination = await examineDatabase(config.databaseUrl, schema.migrations);
  const found: [string, Finding][] = Object.entries(examination);
  const isReadable = examination.migrations !== undefined && examination.migrations.remedy === undefined;
  if (isReadable && config.environment === "production") found.push(["keys", await examineKeys(config)]);
  if (isReadable && config.replicasUrl !== undefined)
    for (const finding of await examineReplicas(config.databaseUrl, config.replicasUrl))
      found.push(["replicas", finding]);
  if (!isPostgresUrl(config.databaseUrl)) found.push(...examineUse(config, schema));
  return [...known, ...found.map(([check, finding]): Check => ({ check, ...finding }))];
}

/** Examines what the settings say about the use of a SQLite file: its processes, replication and backups. */
function examineUse(
  { databaseUrl, processes, checkpoints, backupFolder, backupMaxAge }: KeyedConfig,
  schema: Schema,
): [string, Finding][] {
  const found: [string, Finding][] = [];
  if (processes > 1)
    found.push(["processes", { found: `${processes}, for reads and availability: on SQLite one writes at a time` }]);
  if (checkpoints === "external") found.push(["log", examineLog(pathOfFileUrl(databaseUrl))]);
  if (backupFolder !== undefined) found.push(["backups", examineBackups(backupFolder, backupMaxAge, schema)]);
  return found;
}

/** Names the keys that this environment rejects, such as the quickstart key of a database that was opened in development before. */
async function examineKeys({ databaseUrl, environment }: KeyedConfig): Promise<Finding> {
  const db = openDatabase<ApiKeysTables>(databaseUrl, { mustExist: true, isReadOnly: true });
  const keys = await useAndClose(db, listApiKeys);
  const active = keys.filter((key) => key.revokedAt === null && !isExpired(key, Date.now()));
  const rejected = active.filter(({ prefix }) => !isValidIn(environment, prefix));
  if (rejected.length === 0) return { found: `${active.length} active, all of ${environment}` };
  const named = rejected.slice(0, MOST_NAMED).map(({ id, name }) => `key ${id} (${name})`);
  if (rejected.length > MOST_NAMED) named.push(`and ${rejected.length - MOST_NAMED} more`);
  return {
    found: `of another environment, so rejected in ${environment}: ${named.join(", ")}`,
    remedy: `Revoke each with \`${SERVICE.name} keys revoke <id>\`. Its clients need one made with ${variableOf("SERVICE_ENV")}=${environment}.`,
  };
}

/** Requests `/readyz` of the running service, because only that process knows the state of its open files. */
async function examineService({ host, port }: KeyedConfig): Promise<Check> {
  const address = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  try {
    const { status, message } = (await readJson(`http://${address}/readyz`)) as { status?: unknown; message?: string };
    if (status === "ok") return { check: "service", found: `ready at ${address}` };
    const remedy =
      "See the log of the service. If the database file or its write-ahead log was moved, removed or replaced, restore it, or restart the service.";
    return { check: "service", found: `not ready at ${address}: ${message}`, remedy };
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    if (code === "ECONNREFUSED") return { check: "service", found: `not running at ${address}` };
    if (name === "SyntaxError")
      return {
        check: "service",
        found: `another program at ${address}`,
        remedy: "Stop that program, or set PORT to a free port.",
      };
    return { check: "service", found: `no response from ${address}`, remedy: "Restart the service." };
  }
}

/** Avoids `fetch`, because `fetch` blocks some ports that may be in use (https://fetch.spec.whatwg.org/#port-blocking). */
async function readJson(url: string): Promise<unknown> {
  const request = get(url, { agent: false, signal: AbortSignal.timeout(DEADLINE_MS) });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return json(response);
}

/** Adds `doctor` to the command line. Its exit code is 1 if a check has a remedy. */
export function addDoctorCommand(program: Command, service: Examined): void {
  program
    .command("doctor")
    .description(
      "check settings, versions, service, database, migrations, keys, replicas, disk and backups, and print remedies",
    )
    .option("--json", "print JSON")
    .action(async (options: { json?: true }) => {
      const findings = await withProgress((report) => {
        report("Examining the service and its database");
        return examine(service, process.env);
      });
      if (findings.some(({ remedy }) => remedy !== undefined)) process.exitCode = 1;
      if (options.json) return printJson(findings);
      for (const { check, found, remedy } of findings) {
        console.log(`${remedy === undefined ? "ok   " : "wrong"}  ${check.padEnd(10)}  ${found}`);
        if (remedy !== undefined) console.log(`       ${remedy}`);
      }
    });
}
