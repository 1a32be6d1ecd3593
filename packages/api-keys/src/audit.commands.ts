import { isoDate, parseTime, printJson, printTable, wholeNumber } from "@openapi-operations/command-line";
import { SERVICE } from "@openapi-operations/command-line/name";
import type { WithDatabase } from "@openapi-operations/storage/database";
import type { AnyTables } from "@openapi-operations/storage/registration";
import type { Command } from "commander";
import { type AuditEntry, listAudit } from "./audit.repository.ts";
import { parseId } from "./keys.commands.ts";
import type { ApiKeysTables } from "./keys.table.ts";

const DEFAULT_LIMIT = 100;

/** The database that `audit` reads, and the metadata of its tables. */
export interface AuditSource {
  withDatabase: WithDatabase<ApiKeysTables>;
  tables: AnyTables;
}

interface AuditOptions {
  key?: number;
  since?: number;
  limit: number;
  json?: true;
}

/** Adds `audit` to the command line. */
export function addAuditCommand(program: Command, audited: AuditSource): void {
  program
    .command("audit")
    .description("list changes of API keys and the writes made with them, latest last")
    .option("--key <id>", `only entries of the key with this number in \`${SERVICE.name} keys list\``, parseId)
    .option("--since <time>", "only entries since this time, such as 24h, 7d or 2026-12-05T09:30Z", parseTime)
    .option("--limit <number>", "the maximum number of entries; the latest are shown", wholeNumber(1), DEFAULT_LIMIT)
    .option("--json", "print JSON")
    .action((options: AuditOptions) => audit(audited, options));
}

async function audit(
  { withDatabase, tables }: AuditSource,
  { key: keyId, since, limit, json }: AuditOptions,
): Promise<void> {
  const found = await withDatabase((db) => listAudit(db, tables, { keyId, since, limit: limit + 1 }));
  const entries = found.slice(-limit);
  if (json) return printJson(entries.map(toJson));
  printTable([["TIME", "WHO", "ACTION", "WHAT"], ...entries.map(toRow)]);
  if (found.length > limit) console.log(`Only the latest ${limit} are shown. See more with a higher --limit.`);
}

/** Returns an entry with dates as strings. The id of an added row is named after its resource, such as `petId`. */
function toJson(entry: AuditEntry): object {
  const at = isoDate(entry.at);
  if ("actor" in entry) return { ...entry, at };
  const { action, keyId, keyName, keyPrefix, resource, resourceId } = entry;
  return { at, action, keyId, [`${resource}Id`]: resourceId, keyName, keyPrefix };
}

function toRow(entry: AuditEntry): string[] {
  const key = `key ${entry.keyId}, ${entry.keyName ?? "unknown"}, ${entry.keyPrefix ?? "unknown"}…`;
  const [actor, subject] = "actor" in entry ? [entry.actor, key] : [key, `${entry.resource} ${entry.resourceId}`];
  return [isoDate(entry.at), actor, entry.action, subject];
}
