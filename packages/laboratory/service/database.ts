import { scopes } from "@petstore/contract";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApiKey } from "@openapi-operations/api-keys/keys.repository";
import { openDatabase } from "@openapi-operations/storage/database";
import { migrate } from "@openapi-operations/storage/migrations";
import Sqlite from "better-sqlite3";
import { MIGRATIONS } from "../../../apps/server/src/migrations.ts";
import { SERVICE } from "../../../apps/server/src/name.ts"; // keys begin with its name

/** Identical databases in separate files, with an API key for all of them. */
export interface Databases extends AsyncDisposable {
  key: string;
  /** Creates another copy and resolves with its path. */
  copy: () => Promise<string>;
}

/** The columns of animal `n` in SQL. Every hundredth has the rare status. */
export const ANIMAL = `'Animal number ' || n, 1 + n % 50,
  case when n % 100 = 0 then 'pending' when n % 3 = 0 then 'sold' else 'available' end`;

/** Creates a database with the schema of this version and fills it with animals. It is in a folder below `parent`. */
export async function createDatabases(animals: number, parent = tmpdir()): Promise<Databases> {
  const folder = await mkdtemp(join(parent, `${SERVICE.name}-bench-`));
  const template = join(folder, "template.db");
  const db = openDatabase(`file:${template}`);
  await migrate(db, MIGRATIONS);
  const { key } = await createApiKey(db, { name: "bench", environment: "production", scopes });
  await db.destroy();
  fill(template, animals);
  let copies = 0;
  return {
    key,
    copy: async () => {
      const path = join(folder, `${copies++}.db`);
      await copyFile(template, path);
      return path;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

function fill(path: string, animals: number): void {
  const file = new Sqlite(path);
  file
    .prepare(
      `insert into pets (name, category_id, status)
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)
       select ${ANIMAL} from numbers`,
    )
    .run(animals);
  file.pragma("wal_checkpoint(truncate)");
  file.close();
}
