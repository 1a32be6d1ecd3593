import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { generateApiKey } from "../../src/api-key.ts";
import { createApiKey, listApiKeys } from "../../src/keys.repository.ts";
import { variableOf } from "@openapi-operations/service/settings";
import { SERVICE } from "@openapi-operations/command-line/name";
import { temporaryFolder } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { BOOTSTRAP_KEY_FILE } from "../../src/settings.ts";
import { run, startProgram } from "./start.ts";
import { opened } from "../tables.ts";

/** Wrong places for a key. Each returns the raw head and body of a request. */
const MISUSES: Record<string, (key: string) => [head: string[], body?: string]> = {
  "the right header, twice": (key) => [["GET /v1/things", ...bearer(key), ...bearer(key)]],
  "another scheme": (key) => [["GET /v1/things", `Authorization: Basic ${key}`]],
  "no scheme": (key) => [["GET /v1/things", `Authorization: ${key}`]],
  "Basic, as its user": (key) => [["GET /v1/things", `Authorization: Basic ${btoa(`${key}:`)}`]],
  "other headers": (key) => [
    ["GET /v1/things", `X-API-Key: ${key}`, `Cookie: key=${key}`, `Referer: https://x/${key}`],
  ],
  "the name of a header": (key) => [["GET /v1/things", ...bearer(key), `${key}: 1`]],
  "the query": (key) => [[`GET /v1/things?key=${key}&access_token=${key}`, ...bearer(key)]],
  "the name in a query": (key) => [[`GET /v1/things?${key}=1`, ...bearer(key)]],
  "values of known parameters": (key) => [[`GET /v1/things?limit=${key}&cursor=${key}`, ...bearer(key)]],
  "a cursor": (key) => [[`GET /v1/things?cursor=${key}`, ...bearer(key)]],
  "a path value": (key) => [[`GET /v1/things/${key}`, ...bearer(key)]],
  "a path, encoded in part": (key) => [[`GET /v1/things/${key.replaceAll("_", "%5F")}`, ...bearer(key)]],
  "an unknown path": (key) => [[`GET /${key}/v1`, ...bearer(key)]],
  "the method": (key) => [[`${key} /v1/things`]],
  "the host": (key) => [["GET /v1/things", ...bearer(key), `X-Forwarded-Host: ${key}`]],
  "the headers of a proxy": (key) => [
    ["GET /v1/things", ...bearer(key), `X-Forwarded-For: ${key}`, `Forwarded: for=${key};by="${key}"`],
  ],
  "X-Request-Id": (key) => [["GET /v1/things", ...bearer(key), `X-Request-Id: ${key}`]],
  "X-Request-Id, among others": (key) => [["GET /v1/things", ...bearer(key), `X-Request-Id: id.${key}.1`]],
  "Idempotency-Key": (key) => creation(key, REX, `Idempotency-Key: ${key}`),
  "Idempotency-Key, cut": (key) => creation(key, REX, `Idempotency-Key: ${key.slice(0, -1)}`),
  "the name of a thing": (key) => creation(key, JSON.stringify({ name: `my ${key}` })),
  "an unknown field": (key) => creation(key, JSON.stringify({ name: "Rex", key })),
  "the name of a field": (key) => creation(key, JSON.stringify({ name: "Rex", [key]: 1 })),
  "a body that is not JSON": (key) => creation(key, key),
  "a body broken off": (key) => creation(key, `{"name":"${key}`),
  "a media type": (key) => [["POST /v1/things", ...bearer(key), `Content-Type: text/${key}`], key],
  "an encoding": (key) => creation(key, REX, `Content-Encoding: ${key}`),
  "an expectation": (key) => creation(key, REX, `Expect: ${key}`),
  "headers too large": (key) => [["GET /v1/things", `X-Keys: ${key.repeat(400)}`]],
  "a broken header line": (key) => [["GET /v1/things", `Authorization Bearer ${key}`]],
  "a broken length": (key) => [["POST /v1/things", `Content-Length: ${key}`]],
};
const REX = '{"name":"Rex"}';

test("a misused API key appears in no log line, metric, response or database file", async () => {
  const folder = await temporaryFolder();
  const bootstrap = generateApiKey("production");
  const keyFile = join(await temporaryFolder(), "bootstrap.key");
  await writeFile(keyFile, `${bootstrap}\n`, { mode: 0o600 });
  const env = {
    DATABASE_URL: `file:${folder}/things.db`,
    LOG_LEVEL: "trace",
    METRICS_PORT: "0",
    TRUST_PROXY: "1",
    [variableOf(BOOTSTRAP_KEY_FILE)]: keyFile,
  };
  const { baseUrl, output, stop } = await startProgram(folder, env);

  const db = opened(env.DATABASE_URL);
  const issue = async (expiresAt?: number) =>
    (await createApiKey(db, { name: "canary", environment: "development", expiresAt })).key;
  const commands: string[] = [];
  const command = async (...words: string[]) => commands.push((await run(words, env)).stdout);
  const quickstart = (await readFile(join(folder, "quickstart.key"), "utf8")).trim();
  const keys = [quickstart, bootstrap, await issue(), await issue(Date.now()), generateApiKey("production")];

  const answers: string[] = [];
  const misuseAll = async () => {
    for (const misuse of Object.values(MISUSES))
      for (const key of keys) answers.push(await send(new URL(baseUrl), ...misuse(key)));
  };
  await misuseAll();
  const file = new Sqlite(join(folder, "things.db"));
  onTestFinished(() => void file.close());
  for (const table of ["things", "api_keys"]) {
    file.exec(`alter table ${table} rename to away`);
    for (const key of keys) answers.push(await send(new URL(baseUrl), ["GET /v1/things", ...bearer(key)]));
    file.exec(`alter table away rename to ${table}`);
  }
  for (const words of ["keys list", "keys list --json", "keys revoke 3", "audit", "audit --json"])
    await command(...words.split(" "));

  const statuses = new Set(answers.map((answer) => answer.slice("HTTP/1.1 ".length, 12)));
  expect([...statuses].toSorted()).toEqual(["200", "400", "401", "404", "415", "417", "431", "500", "501", "503"]);
  const metricsUrl = /Metrics are at (\S+)/.exec(output())![1]!;
  const metrics = await (await fetch(metricsUrl)).text();
  expect(metrics).toContain('operation_id="listThings"');
  const prefixes = (await listApiKeys(db)).map(({ prefix }) => prefix);
  const files = await filesOf(folder);
  expect(await stop()).toBe(0);
  Object.assign(files, prefixed("stopped ", await filesOf(folder)));

  expect(commands.join()).toContain(prefixes[0]); // proves that the search finds existing text
  expect(files["things.db-wal"] ?? "").toContain(prefixes[0]);
  expect(
    output()
      .split("\n")
      .filter((line) => line.includes('"status":503')).length,
  ).toBeGreaterThan(0);
  const places = { ...files, metrics, log: output(), answers: answers.join("\n"), commands: commands.join("\n") };
  expect(Object.entries(places).flatMap(([place, content]) => findings(place, content, keys))).toEqual([]);
});

function bearer(key: string): string[] {
  return [`Authorization: Bearer ${key}`];
}

function creation(key: string, body: string, ...headers: string[]): [string[], string] {
  return [["POST /v1/things", ...bearer(key), "Content-Type: application/json", ...headers], body];
}

/** Sends a raw request and returns the raw response. */
async function send({ hostname, port }: URL, [first, ...headers]: string[], body = ""): Promise<string> {
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const length = body === "" ? [] : [`Content-Length: ${body.length}`];
  const head = [`${first} HTTP/1.1`, "Host: things", "Connection: close", ...length, ...headers];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  return text(socket);
}

async function filesOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => name !== "quickstart.key");
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "latin1")] as const)),
  );
}

function prefixed(prefix: string, files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [prefix + name, content]));
}

/** Finds any twelve consecutive characters of a key's secret part, also in Base64. */
function findings(place: string, content: string, keys: string[]): string[] {
  return keys.flatMap((key, index) => {
    const secrets = [key.slice(`${SERVICE.keyPrefix}_test_0123`.length), btoa(`${key}:`).slice(20)];
    const found = secrets.some((secret) =>
      Array.from({ length: secret.length - 11 }, (_, at) => secret.slice(at, at + 12)).some((part) =>
        content.includes(part),
      ),
    );
    return found ? [`key ${index} in ${place}`] : [];
  });
}
