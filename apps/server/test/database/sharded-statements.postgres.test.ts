import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { expireResponses } from "@openapi-operations/api-keys/expired-responses";
import { openStorage } from "@openapi-operations/storage/open-storage";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import { execute } from "@platform/test-support/postgres";
import { recordStatements, type SentStatement } from "@platform/test-support/sent-statements";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import type { Tables } from "../../src/registrations.ts";
import { json, startService } from "../petstore.ts";
import { run } from "../program.ts";

/** The distribution column of each table that is spread over shards, by layout; see the page on scale. */
const LAYOUTS = {
  "animals with the API key that created them": { pets: "created_by", idempotency_keys: "api_key_id" },
  "animals by their id": { pets: "id", idempotency_keys: "api_key_id" },
} as const satisfies Record<string, Record<string, string>>;

/** Node of a syntax tree; its only property is the type of the node. */
type Node = Record<string, any>;

/** Returns all nodes of a type in a tree. */
function nodesOf(tree: unknown, type: string): Node[] {
  if (typeof tree !== "object" || tree === null) return [];
  const own = type in tree ? [(tree as Node)[type] as Node] : [];
  return [...own, ...Object.values(tree).flatMap((child) => nodesOf(child, type))];
}

/** Returns the values that a statement gives a column: in the row that it adds, or by equality in its condition. */
function valuesOf(statement: Node, column: string, { values }: SentStatement): unknown[] {
  const valueOf = (node: Node): unknown => (node["ParamRef"] ? values[node["ParamRef"].number - 1] : node);
  const added =
    (statement["cols"] as Node[] | undefined)?.findIndex(({ ResTarget }) => ResTarget.name === column) ?? -1;
  if (added >= 0) return nodesOf(statement["selectStmt"], "List").map(({ items }) => valueOf(items[added]));
  const isEqual = ({ kind, name }: Node): boolean => kind === "AEXPR_OP" && name[0].String.sval === "=";
  const isAnd = nodesOf(statement["whereClause"], "BoolExpr").every(({ boolop }) => boolop === "AND_EXPR");
  return nodesOf(isAnd ? statement["whereClause"] : undefined, "A_Expr")
    .filter((expression) => isEqual(expression) && expression["lexpr"].ColumnRef?.fields.at(-1).String.sval === column)
    .map(({ rexpr }) => valueOf(rexpr));
}

/** Returns what a sharded database refuses, or does on several nodes, in a transaction. */
function faultsOf(transaction: SentStatement[], layout: Record<string, string>): string[] {
  const faults: string[] = [];
  const written = new Set<unknown>();
  for (const sent of transaction) {
    const fault = (what: string): number =>
      faults.push(`${what}: ${sent.text.replace(/^select .* from/, "select … from")}`);
    const tables = nodesOf(sent.tree, "RangeVar").map(({ relname }) => relname as string);
    const writes = ["InsertStmt", "UpdateStmt", "DeleteStmt"].flatMap((type) => nodesOf(sent.tree, type));
    const distributed = tables.concat(writes.map(({ relation }) => relation.relname)).filter((name) => name in layout);
    if (distributed.length === 0) continue;
    if (nodesOf(sent.tree, "SelectStmt").some(({ lockingClause }) => lockingClause)) fault("locks rows");
    if (new Set(distributed).size > 1) fault("joins");
    if (nodesOf(sent.tree, "LockStmt").length > 0) fault("locks a table");
    if (writes.length > 0 && nodesOf(sent.tree, "CommonTableExpr").length > 0) fault("writes beside a query");
    const [name] = distributed as [string];
    const column = layout[name]!;
    for (const statement of writes.length > 0 ? writes : nodesOf(sent.tree, "SelectStmt").slice(0, 1)) {
      const isGenerated = column === "id" && "cols" in statement; // by a sequence, before the row has a shard
      const values = isGenerated ? [randomUUID()] : valuesOf(statement, column, sent);
      if (values.length !== 1 || values[0] === null) fault(`${writes.length > 0 ? "writes" : "reads"} in all shards`);
      else if (writes.length > 0) written.add(JSON.stringify(values[0]));
      const target = statement["onConflictClause"]?.infer?.indexElems as Node[] | undefined;
      if (target && !target.some(({ IndexElem }) => IndexElem.name === column)) fault("is unique in one shard only");
    }
  }
  if (written.size > 1) faults.push("commits in several shards");
  return faults;
}

/** Runs the statements of the page on scale that a server without Citus knows. */
async function prepareForShards(url: string): Promise<void> {
  const page = await readFile(new URL("../../docs/scale.md", import.meta.url), "utf8");
  const [, block] = /^```sql\n((?:.*\n)*?.*create_distributed_table(?:.*\n)*?)```$/m.exec(page)!;
  const known = block!.split("\n").filter((line) => line !== "" && !line.startsWith("select create_"));
  expect(known).toHaveLength(3);
  for (const statement of known) await execute(url, statement);
}

test("statements suit a sharded database: a creation is in one shard, and only those named here are in all", async () => {
  const url = await temporaryUrl();
  await run(["migrate"], { DATABASE_URL: url });
  await prepareForShards(url);
  await using recording = await recordStatements(url);
  const env = { DATABASE_URL: recording.url, RATE_LIMIT: "600/60" };
  const service = await startService(env);
  const { id } = await service.addPet();
  for (const [name, status] of [
    ["Rex", 201],
    ["Rex", 201],
    ["Max", 422],
  ] as const) {
    const response = await service.request("/pets", json({ name, categoryId: 1 }, { "Idempotency-Key": "one" }));
    expect(response.status).toBe(status);
  }
  const reads = [`/pets/${id}`, "/pets", "/pets?status=available&limit=1"];
  for (const path of reads) expect((await service.request(path)).status).toBe(200);
  for (const words of ["create --name two", "list", "rotate 2", "revoke 2", "revoke 3"])
    expect(await run(["keys", ...words.split(" ")], env)).toMatchObject({ code: 0 });
  const storage = openStorage<Tables>(recording.url);
  const expiry = expireResponses(storage.write, pino({ enabled: false }), 1);
  onTestFinished(() => storage.destroy());
  const faultsIn = async (layout: Record<string, string>): Promise<string[]> => {
    const transactions = await recording.transactions();
    return [...new Set(transactions.flatMap((transaction) => faultsOf(transaction, layout)))].toSorted();
  };
  await expect
    .poll(() => faultsIn(LAYOUTS["animals by their id"]))
    .toContainEqual(expect.stringContaining("delete from"));
  await expiry.close();

  const expired = [
    'reads in all shards: select … from "idempotency_keys" where "created_at" >= $1 and "created_at" <= $2 order by "created_at" limit $3 offset $4',
    'writes in all shards: delete from "idempotency_keys" where "created_at" >= $1 and "created_at" <= $2',
  ];
  const lists = [
    'reads in all shards: select … from "pets" order by "id" limit $1',
    'reads in all shards: select … from "pets" where "status" = $1 order by "id" limit $2',
  ];
  expect(await faultsIn(LAYOUTS["animals with the API key that created them"])).toEqual([
    expired[0],
    lists[0],
    'reads in all shards: select … from "pets" where "id" = $1',
    lists[1],
    expired[1],
  ]);
  expect(await faultsIn(LAYOUTS["animals by their id"])).toEqual([
    "commits in several shards",
    expired[0],
    ...lists,
    expired[1],
  ]);
});
