import type { Pet } from "@petstore/contract";
import type Sqlite from "better-sqlite3";
import { SQL } from "./peer.ts";

const LARGEST_GROUP = 256;

interface Waiting {
  pet: Omit<Pet, "id">;
  resolve: (pet: Pet) => void;
  reject: (error: unknown) => void;
}

/** Inserts what arrives in one turn of the event loop in one transaction, a savepoint for each. */
export function groupingInserts(file: Sqlite.Database): (pet: Omit<Pet, "id">) => Promise<Pet> {
  const insert = file.prepare<[string, number, string], Pet>(SQL.insert);
  const [begin, commit] = [file.prepare("begin immediate"), file.prepare("commit")];
  const [savepoint, release] = [file.prepare("savepoint unit"), file.prepare("release unit")];
  const rollback = file.prepare("rollback to unit");
  const waiting: Waiting[] = [];

  const insertOne = ({ pet, resolve, reject }: Waiting): (() => void) => {
    savepoint.run();
    try {
      const inserted = insert.get(pet.name, pet.categoryId, pet.status)!;
      return () => resolve(inserted);
    } catch (error) {
      rollback.run();
      return () => reject(error);
    } finally {
      release.run();
    }
  };

  const commitWaiting = (): void => {
    const group = waiting.splice(0, LARGEST_GROUP);
    if (waiting.length > 0) setImmediate(commitWaiting);
    begin.run();
    const answers = group.map(insertOne);
    commit.run();
    for (const answer of answers) answer();
  };

  return (pet) =>
    new Promise((resolve, reject) => {
      waiting.push({ pet, resolve, reject });
      if (waiting.length === 1) setImmediate(commitWaiting);
    });
}
