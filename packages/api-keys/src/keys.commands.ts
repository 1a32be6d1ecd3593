import { InvalidArgumentError, isoDate, parseDuration, printJson, printTable } from "@openapi-operations/command-line";
import { SERVICE } from "@openapi-operations/command-line/name";
import { type Environment, variableOf } from "@openapi-operations/service/settings";
import type { WithDatabase } from "@openapi-operations/storage/database";
import { type Command, Option } from "commander";
import { generateApiKey, holdsApiKey, isValidIn } from "./api-key.ts";
import {
  type ApiKey,
  createApiKey,
  EVERY_SCOPE,
  isExpired,
  type IssuedApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
} from "./keys.repository.ts";
import type { ApiKeysTables } from "./keys.table.ts";
import { BOOTSTRAP_KEY_FILE } from "./settings.ts";

const OVERLAP = new Option("--overlap <duration>", "how long the old key remains valid, such as 0, 30m or 7d")
  .argParser(parseOverlap)
  .default(parseDuration("24h"), "24h");

type KeysDatabase = WithDatabase<ApiKeysTables>;

/** The dependencies of the commands. Functions read the settings when a command runs. */
export interface KeysSettings {
  withDatabase: KeysDatabase;
  environment: () => Environment;
  /** The scopes of the contract. */
  scopes: readonly string[];
}

/** Adds the commands below `keys` to the command line. */
export function addKeysCommands(program: Command, { withDatabase, environment, scopes }: KeysSettings): void {
  const keys = program.command("keys").description("create, list, rotate and revoke API keys");
  keys
    .command("create")
    .description("create an API key and print it; it is not shown again")
    .requiredOption("--name <name>", "the user or purpose of the key", parseName)
    .option(
      "--scopes <scopes>",
      scopes.length === 0
        ? 'the scopes of the key: "*" for all future scopes, since the contract has none yet (default: none)'
        : `the scopes of the key: some of ${scopes.join(",")}, or "*" for these and all future scopes (default: these)`,
      scopesParser(scopes),
      [...scopes],
    )
    .option(
      "--expires-in <duration>",
      "how long the key is valid, such as 12h, 90d or 52w (default: for ever)",
      parseDuration,
    )
    .option("--json", "print JSON")
    .action((options: CreateOptions) => create(withDatabase, { ...options, environment: environment() }));
  keys
    .command("generate")
    .description(`print a new key for ${variableOf(BOOTSTRAP_KEY_FILE)}, without adding it to a database`)
    .action(() => console.log(generateApiKey(environment())));
  keys
    .command("list")
    .description("list the API keys without their secrets")
    .option("--json", "print JSON")
    .action((options: JsonOption) => list(withDatabase, environment(), options));
  keys
    .command("rotate")
    .description(
      "replace an API key with a new one of the same name, scopes and lifetime, and print it; it is not shown again",
    )
    .argument("<id>", "its number in the list", parseId)
    .addOption(OVERLAP)
    .option("--json", "print JSON")
    .action((id: number, options: RotateOptions) => rotate(withDatabase, id, options));
  keys
    .command("revoke")
    .description("revoke an API key; the next request with it is rejected")
    .argument("<id>", "its number in the list", parseId)
    .option("--json", "print JSON")
    .action((id: number, options: JsonOption) => revoke(withDatabase, id, options));
}

interface JsonOption {
  json?: true;
}

interface CreateOptions extends JsonOption {
  name: string;
  scopes: string[];
  expiresIn?: number;
}

interface RotateOptions extends JsonOption {
  overlap: number;
}

async function create(
  withDatabase: KeysDatabase,
  { name, scopes, expiresIn, json, environment }: CreateOptions & { environment: Environment },
): Promise<void> {
  const expiresAt = expiresIn === undefined ? undefined : Date.now() + expiresIn;
  const apiKey = await withDatabase((db) => createApiKey(db, { name, environment, scopes, expiresAt }));
  if (json) return printJson(withDates(apiKey));
  printIssued(apiKey);
}

async function list(withDatabase: KeysDatabase, environment: Environment, { json }: JsonOption): Promise<void> {
  const apiKeys = await withDatabase(listApiKeys);
  if (json) return printJson(apiKeys.map(withDates));
  const rows = apiKeys.map((key) => [
    String(key.id),
    key.name,
    `${key.prefix}…`,
    key.scopes.join(","),
    stateOf(key, environment),
    isoDate(key.createdAt),
    key.expiresAt === null ? "never" : isoDate(key.expiresAt),
    key.lastUsedAt === null ? "never" : isoDate(key.lastUsedAt),
  ]);
  printTable([["ID", "NAME", "KEY", "SCOPES", "STATE", "CREATED", "EXPIRES", "LAST USED"], ...rows]);
}

async function rotate(withDatabase: KeysDatabase, id: number, { overlap, json }: RotateOptions): Promise<void> {
  const rotation = await withDatabase((db) => rotateApiKey(db, id, overlap));
  switch (rotation.outcome) {
    case "rotated": {
      const { apiKey, oldExpiresAt } = rotation;
      if (json) return printJson({ ...withDates(apiKey), replaces: { id, expiresAt: isoDate(oldExpiresAt) } });
      printIssued(apiKey);
      return console.log(`It replaces key ${id}, which is valid until ${isoDate(oldExpiresAt)}.`);
    }
    case "rotated before":
      return fail(`key ${id} is already rotated; rotate the key that replaced it, see \`${SERVICE.name} keys list\``);
    case "expired":
    case "revoked":
      return fail(`key ${id} is ${rotation.outcome}; create a new one with \`${SERVICE.name} keys create\``);
    case "not found":
      return fail(`there is no key ${id}; see \`${SERVICE.name} keys list\``);
  }
}

async function revoke(withDatabase: KeysDatabase, id: number, { json }: JsonOption): Promise<void> {
  const outcome = await withDatabase((db) => revokeApiKey(db, id));
  if (outcome === "not found") return fail(`there is no key ${id}; see \`${SERVICE.name} keys list\``);
  if (json) return printJson({ id, outcome });
  console.log(outcome === "revoked" ? `Key ${id} is revoked.` : `Key ${id} is already revoked.`);
}

function fail(problem: string): void {
  console.error(`error: ${problem}`);
  process.exitCode = 1;
}

function printIssued({ id, name, scopes, expiresAt, key }: IssuedApiKey): void {
  const allowed = scopes.includes(EVERY_SCOPE) ? "everything" : scopes.join(" and ") || "operations without scopes";
  const expiry = expiresAt === null ? "without expiry" : `until ${isoDate(expiresAt)}`;
  console.log(`Key ${id}, "${name}", allows ${allowed} ${expiry}:\n\n  ${key}\n`);
  console.log("Keep it now: it will not be shown again.");
}

function stateOf(apiKey: ApiKey, environment: Environment): "active" | "expired" | "revoked" | "rejected" {
  if (apiKey.revokedAt !== null) return "revoked";
  if (isExpired(apiKey, Date.now())) return "expired";
  return isValidIn(environment, apiKey.prefix) ? "active" : "rejected";
}

function withDates<Key extends ApiKey>({ createdAt, expiresAt, lastUsedAt, revokedAt, ...rest }: Key) {
  const date = (time: number | null) => (time === null ? null : isoDate(time));
  return {
    ...rest,
    createdAt: date(createdAt),
    expiresAt: date(expiresAt),
    lastUsedAt: date(lastUsedAt),
    revokedAt: date(revokedAt),
  };
}

/** Parses the name of a key. The name is safe to print in terminals and log lines. */
export function parseName(text: string): string {
  if (holdsApiKey(text))
    throw new InvalidArgumentError("Give a name without an API key, since names are stored and logged.");
  if (/^[^\p{C}]{1,100}$/u.test(text)) return text;
  throw new InvalidArgumentError("Give 1 to 100 characters, none of them a control character.");
}

/** Returns a parser of a comma-separated list of these scopes, or of `EVERY_SCOPE` alone. */
export function scopesParser(known: readonly string[]): (text: string) => string[] {
  return (text) => {
    if (text.trim() === EVERY_SCOPE) return [EVERY_SCOPE];
    const names = text.split(",").map((name) => name.trim());
    const scopes = known.filter((scope) => names.includes(scope));
    if (scopes.length === names.length) return scopes;
    throw new InvalidArgumentError(
      `Give some of ${known.join(",")}, separated by commas, or "*" alone for all of them.`,
    );
  };
}

/** Parses a duration, or `0`, into milliseconds. */
export function parseOverlap(text: string): number {
  return text === "0" ? 0 : parseDuration(text);
}

/** Parses the id of a key. */
export function parseId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`Give the number that \`${SERVICE.name} keys list\` shows.`);
}
