import { type Command, InvalidArgumentError } from "commander";
import { readConfig } from "../config.ts";
import { type Database, openDatabase } from "../database.ts";
import { migrate } from "../migrations.ts";
import { type ApiKey, createApiKey, listApiKeys, revokeApiKey, type Scope, SCOPES } from "./keys.repository.ts";

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Adds `keys create`, `keys list` and `keys revoke` to the command line. */
export function addKeysCommands(program: Command): void {
  const keys = program.command("keys").description("make, list and revoke API keys");
  keys
    .command("create")
    .description("make an API key and show it, this once")
    .requiredOption("--name <name>", "whom or what the key is for", parseName)
    .option("--scopes <scopes>", `what it allows, of ${SCOPES.join(",")} (default: all)`, parseScopes)
    .option("--expires-in <duration>", "how long it holds, such as 12h, 90d or 52w (default: for ever)", parseDuration)
    .option("--json", "print JSON")
    .action(create);
  keys
    .command("list")
    .description("list the API keys, never the keys themselves")
    .option("--json", "print JSON")
    .action(list);
  keys
    .command("revoke")
    .description("end an API key, from the next request on")
    .argument("<id>", "its number in the list", parseId)
    .option("--json", "print JSON")
    .action(revoke);
}

interface CreateOptions {
  name: string;
  scopes?: Scope[];
  expiresIn?: number;
  json?: true;
}

async function create({ name, scopes, expiresIn, json }: CreateOptions): Promise<void> {
  const { environment } = readConfig(process.env);
  const expiresAt = expiresIn === undefined ? undefined : Date.now() + expiresIn;
  const { key, ...apiKey } = await onDatabase((db) => createApiKey(db, { name, environment, scopes, expiresAt }));
  if (json) return printJson({ ...withDates(apiKey), key });
  const expiry = apiKey.expiresAt === null ? "without expiry" : `until ${isoDate(apiKey.expiresAt)}`;
  console.log(`Key ${apiKey.id}, "${name}", allows ${apiKey.scopes.join(" and ")} ${expiry}:\n\n  ${key}\n`);
  console.log("Keep it now: it will not be shown again.");
}

async function list({ json }: { json?: true }): Promise<void> {
  const apiKeys = await onDatabase(listApiKeys);
  if (json) return printJson(apiKeys.map(withDates));
  const rows = apiKeys.map((key) => [
    String(key.id),
    key.name,
    `${key.prefix}…`,
    key.scopes.join(","),
    stateOf(key),
    isoDate(key.createdAt),
    key.expiresAt === null ? "never" : isoDate(key.expiresAt),
  ]);
  printTable([["ID", "NAME", "KEY", "SCOPES", "STATE", "CREATED", "EXPIRES"], ...rows]);
}

async function revoke(id: number, { json }: { json?: true }): Promise<void> {
  const outcome = await onDatabase((db) => revokeApiKey(db, id));
  if (outcome === "not found") {
    console.error(`error: there is no key ${id}; see \`petstore keys list\``);
    process.exitCode = 1;
    return;
  }
  if (json) return printJson({ id, outcome });
  console.log(outcome === "revoked" ? `Key ${id} is revoked.` : `Key ${id} was revoked before.`);
}

async function onDatabase<Result>(work: (db: Database) => Promise<Result>): Promise<Result> {
  const db = openDatabase(readConfig(process.env).databaseUrl);
  try {
    await migrate(db);
    return await work(db);
  } finally {
    await db.destroy();
  }
}

function parseName(text: string): string {
  if (/^[^\p{C}]{1,100}$/u.test(text)) return text;
  throw new InvalidArgumentError("Give 1 to 100 characters, none of them a control character.");
}

function parseScopes(text: string): Scope[] {
  const names = text.split(",").map((name) => name.trim());
  const scopes = SCOPES.filter((scope) => names.includes(scope));
  if (scopes.length === names.length) return scopes;
  throw new InvalidArgumentError(`Give some of ${SCOPES.join(",")}, separated by commas.`);
}

function parseDuration(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([smhdw])$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) * UNITS[unit as keyof typeof UNITS];
  throw new InvalidArgumentError("Give a whole number and one of s, m, h, d, w, such as 90d.");
}

function parseId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give the number that `petstore keys list` shows.");
}

function stateOf({ revokedAt, expiresAt }: ApiKey): "active" | "expired" | "revoked" {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= Date.now() ? "expired" : "active";
}

function withDates({ createdAt, expiresAt, revokedAt, ...key }: ApiKey) {
  const date = (time: number | null) => (time === null ? null : isoDate(time));
  return { ...key, createdAt: date(createdAt), expiresAt: date(expiresAt), revokedAt: date(revokedAt) };
}

function isoDate(time: number): string {
  return new Date(time).toISOString();
}

function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}

function printTable(rows: string[][]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}
