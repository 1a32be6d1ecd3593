import type { Pet } from "@petstore/contract";
import type Sqlite from "better-sqlite3";

const MAX_GROUP = 256;
/** The numbers of rows that one statement inserts. */
const STATEMENT_SIZES = [128, 64, 32, 16, 8, 4, 2, 1];

interface PendingInsert {
  pet: Omit<Pet, "id">;
  resolve: (pet: Pet) => void;
  reject: (error: unknown) => void;
}

/**
 * Inserts the rows that arrive until `defer` calls in one transaction, with few statements for many rows. Each row gets its
 * own savepoint only if a statement has failed.
 */
export function groupInserts(
  file: Sqlite.Database,
  defer: (commit: () => void) => unknown,
): (pet: Omit<Pet, "id">) => Promise<Pet> {
  const inserts = STATEMENT_SIZES.map((size) => {
    const rows = Array.from({ length: size }, () => "(?, ?, ?)").join(", ");
    return { size, insert: file.prepare(`insert into pets (name, category_id, status) values ${rows}`) };
  });
  const [begin, commit] = [file.prepare("begin immediate"), file.prepare("commit")];
  const [savepoint, release] = [file.prepare("savepoint undone"), file.prepare("release undone")];
  const rollback = file.prepare("rollback to undone");
  const waiting: PendingInsert[] = [];

  const insertRows = (group: PendingInsert[]): (() => void)[] => {
    const callbacks: (() => void)[] = [];
    for (const { size, insert } of inserts) {
      while (group.length - callbacks.length >= size) {
        const some = group.slice(callbacks.length, callbacks.length + size);
        const { lastInsertRowid } = insert.run(some.flatMap(({ pet }) => [pet.name, pet.categoryId, pet.status]));
        const first = Number(lastInsertRowid) - size + 1;
        for (const [at, { pet, resolve }] of some.entries()) callbacks.push(() => resolve({ id: first + at, ...pet }));
      }
    }
    return callbacks;
  };

  const insertAlone = (one: PendingInsert): (() => void) => {
    savepoint.run();
    try {
      return insertRows([one])[0]!;
    } catch (error) {
      rollback.run();
      return () => one.reject(error);
    } finally {
      release.run();
    }
  };

  const insertAll = (group: PendingInsert[]): (() => void)[] => {
    savepoint.run();
    try {
      return insertRows(group);
    } catch {
      rollback.run();
      return group.map(insertAlone);
    }
  };

  const commitWaiting = (): void => {
    const group = waiting.splice(0, MAX_GROUP);
    if (waiting.length > 0) setImmediate(commitWaiting);
    begin.run();
    const callbacks = insertAll(group);
    commit.run();
    for (const settle of callbacks) settle();
  };

  return (pet) =>
    new Promise((resolve, reject) => {
      waiting.push({ pet, resolve, reject });
      if (waiting.length === 1) defer(commitWaiting);
    });
}
