import type { Pet } from "@petstore/contract";
import type Sqlite from "better-sqlite3";
import { SQL } from "./peer.ts";

const LARGEST_GROUP = 256;

interface Waiting {
  pet: Omit<Pet, "id">;
  resolve: (pet: Pet) => void;
  reject: (error: unknown) => void;
}

/** Inserts what arrives in one turn of the event loop in one transaction; a savepoint for each only when one has failed. */
export function groupingInserts(file: Sqlite.Database): (pet: Omit<Pet, "id">) => Promise<Pet> {
  const insert = file.prepare<[string, number, string]>(SQL.insert);
  const [begin, commit] = [file.prepare("begin immediate"), file.prepare("commit")];
  const [savepoint, release] = [file.prepare("savepoint undone"), file.prepare("release undone")];
  const rollback = file.prepare("rollback to undone");
  const waiting: Waiting[] = [];

  const insertOne = ({ pet, resolve }: Waiting): (() => void) => {
    const { name, categoryId, status } = pet;
    const id = Number(insert.run(name, categoryId, status).lastInsertRowid);
    return () => resolve({ id, name, categoryId, status });
  };

  const insertAlone = (one: Waiting): (() => void) => {
    savepoint.run();
    try {
      return insertOne(one);
    } catch (error) {
      rollback.run();
      return () => one.reject(error);
    } finally {
      release.run();
    }
  };

  const insertAll = (group: Waiting[]): (() => void)[] => {
    savepoint.run();
    try {
      return group.map(insertOne);
    } catch {
      rollback.run();
      return group.map(insertAlone);
    }
  };

  const commitWaiting = (): void => {
    const group = waiting.splice(0, LARGEST_GROUP);
    if (waiting.length > 0) setImmediate(commitWaiting);
    begin.run();
    const answers = insertAll(group);
    commit.run();
    for (const answer of answers) answer();
  };

  return (pet) =>
    new Promise((resolve, reject) => {
      waiting.push({ pet, resolve, reject });
      if (waiting.length === 1) process.nextTick(commitWaiting);
    });
}
