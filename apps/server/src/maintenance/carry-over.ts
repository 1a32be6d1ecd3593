import type Sqlite from "better-sqlite3";

/** What a database has given and noted, as far as a restore has to know. */
export interface Facts {
  /** The highest id ever given in each table that numbers its rows. */
  lastIds: Map<string, number>;
  /** The latest time in any of its rows, in milliseconds since 1970; undefined where there is none. */
  lastTime: number | undefined;
}

/** What is lost with a database that a backup replaces: rows that were added since, and the times between. */
export interface Loss {
  pets: number;
  apiKeys: number;
  /** Answers kept for `Idempotency-Key`: a request that is repeated with such a key adds its animal anew. */
  answers: number;
  /** In milliseconds since 1970. */
  from: number | undefined;
  to: number | undefined;
}

/** What was read of the database that is replaced. */
export interface Replaced extends Facts {
  endedKeys: KeyRow[];
  /** The audit trail of keys. */
  trail: AuditRow[];
  loss: Loss;
}

interface KeyRow {
  id: number;
  name: string;
  prefix: string;
  hash: string;
  scopes: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  rotated_at: number | null;
}

interface AuditRow {
  at: number;
  action: string;
  key_id: number;
  key_name: string;
  key_prefix: string;
  actor: string;
}

const KEY_COLUMNS = [
  "id",
  "name",
  "prefix",
  "hash",
  "scopes",
  "created_at",
  "expires_at",
  "revoked_at",
  "last_used_at",
  "rotated_at",
];

/** By these names the tables have times of what has happened; an expiry has not yet. */
const TIMES = new Set(["at", "created_at", "last_used_at", "revoked_at", "rotated_at"]);

/** Reads the facts of a database of any version; throws what SQLite does where it cannot be read. */
export function factsOf(file: Sqlite.Database): Facts {
  const tables = tablesOf(file);
  const lastIds = new Map<string, number>();
  for (const { name, sql } of tables) {
    if (!/\bautoincrement\b/i.test(sql)) continue;
    const given = file.prepare<[string], number>("select seq from sqlite_sequence where name = ?").pluck().get(name);
    const highest = file.prepare<[], number | null>(`select max(id) from "${name}"`).pluck().get();
    lastIds.set(name, Math.max(given ?? 0, highest ?? 0));
  }
  const times = tables.flatMap(({ name }) =>
    columnsOf(file, name)
      .filter((column) => TIMES.has(column))
      .map((column) => file.prepare<[], number | null>(`select max("${column}") from "${name}"`).pluck().get() ?? 0),
  );
  const lastTime = Math.max(0, ...times);
  return { lastIds, lastTime: lastTime === 0 ? undefined : lastTime };
}

/** Reads what has to outlive a database, and what does not; throws what SQLite does where it cannot be read. */
export function readReplaced(file: Sqlite.Database, backup: Facts): Replaced {
  const tables = new Set(tablesOf(file).map(({ name }) => name));
  const rowsOf = <Row>(table: string, query: string, ...values: unknown[]): Row[] =>
    tables.has(table) ? (file.prepare(query).all(...values) as Row[]) : [];
  const count = (table: string, where: string, value: number): number =>
    rowsOf<{ n: number }>(table, `select count(*) as n from "${table}" where ${where} > ?`, value)[0]?.n ?? 0;

  const known = columnsOf(file, "api_keys");
  const columns = KEY_COLUMNS.map((column) => (known.includes(column) ? column : `null as ${column}`));
  const keys = rowsOf<KeyRow>("api_keys", `select ${columns.join(", ")} from api_keys order by id`);
  const facts = factsOf(file);
  return {
    ...facts,
    endedKeys: keys.filter((key) => key.revoked_at !== null || key.rotated_at !== null),
    trail: rowsOf<AuditRow>("audit", "select at, action, key_id, key_name, key_prefix, actor from audit order by id"),
    loss: {
      pets: count("pets", "id", backup.lastIds.get("pets") ?? 0),
      apiKeys: count("api_keys", "id", backup.lastIds.get("api_keys") ?? 0),
      answers: count("idempotency_keys", "created_at", backup.lastTime ?? 0),
      from: backup.lastTime,
      to: facts.lastTime,
    },
  };
}

/**
 * Sees to it, in one transaction, that every key that was revoked or rotated stays so, that the audit trail says it, and that no
 * id is given twice. Gives how many keys were ended anew, and how many of these the backup did not have.
 */
export function carryOver(replaced: Replaced, restored: Sqlite.Database): { ended: number; added: number } {
  return restored.transaction(() => {
    for (const [table, id] of replaced.lastIds) raiseLastId(restored, table, id);
    const keys = replaced.endedKeys.map((key) => ({ key, outcome: endKey(restored, key) }));
    const changed = keys.filter(({ outcome }) => outcome !== "known");
    for (const { key } of changed)
      for (const entry of replaced.trail.filter(({ key_id }) => key_id === key.id))
        addToAudit(restored, entry, key.hash);
    return { ended: changed.length, added: changed.filter(({ outcome }) => outcome === "added").length };
  })();
}

function raiseLastId(file: Sqlite.Database, table: string, id: number): void {
  if (!tablesOf(file).some(({ name }) => name === table)) return;
  const { changes } = file.prepare("update sqlite_sequence set seq = max(seq, ?) where name = ?").run(id, table);
  if (changes === 0) file.prepare("insert into sqlite_sequence (name, seq) values (?, ?)").run(table, id);
}

/** What had to be done. A key that the backup does not know is added: a file may still hold it, to be registered anew. */
function endKey(file: Sqlite.Database, key: KeyRow): "known" | "ended" | "added" {
  const known = file.prepare<[string], KeyRow>("select * from api_keys where hash = ?").get(key.hash);
  if (known === undefined) {
    const isFree = file.prepare("select 1 from api_keys where id = ?").get(key.id) === undefined;
    const columns = KEY_COLUMNS.map((column) => `@${column}`).join(", ");
    file
      .prepare(`insert into api_keys (${KEY_COLUMNS.join(", ")}) values (${columns})`)
      .run({ ...key, id: isFree ? key.id : null });
    return "added";
  }
  const isNews =
    (known.revoked_at === null && key.revoked_at !== null) || (known.rotated_at === null && key.rotated_at !== null);
  const { changes } = file
    .prepare(
      `update api_keys set
        revoked_at = coalesce(revoked_at, @revoked_at),
        rotated_at = coalesce(rotated_at, @rotated_at),
        expires_at = min(coalesce(expires_at, @expires_at), coalesce(@expires_at, expires_at))
      where hash = @hash`,
    )
    .run({ hash: key.hash, revoked_at: key.revoked_at, rotated_at: key.rotated_at, expires_at: key.expires_at });
  return isNews && changes === 1 ? "ended" : "known";
}

function addToAudit(file: Sqlite.Database, entry: AuditRow, hash: string): void {
  file
    .prepare(
      `insert into audit (at, action, key_id, key_name, key_prefix, actor)
      select @at, @action, id, @key_name, @key_prefix, @actor from api_keys as owner where hash = @hash
        and not exists (select 1 from audit where action = @action and key_id = owner.id and at = @at)`,
    )
    .run({
      at: entry.at,
      action: entry.action,
      key_name: entry.key_name,
      key_prefix: entry.key_prefix,
      actor: entry.actor,
      hash,
    });
}

/** The tables of the service, whatever its version. */
function tablesOf(file: Sqlite.Database): { name: string; sql: string }[] {
  const tables = file.prepare(
    "select name, sql from sqlite_master where type = 'table' and name not like 'sqlite%' and name not like 'kysely%'",
  );
  return tables.all() as { name: string; sql: string }[];
}

function columnsOf(file: Sqlite.Database, table: string): string[] {
  return file.prepare<[string], string>("select name from pragma_table_info(?)").pluck().all(table);
}
