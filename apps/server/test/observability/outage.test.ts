import { sql } from "kysely";
import { pino } from "pino";
import { expect, test } from "vitest";
import { outageLog } from "../../src/observability/outage.ts";
import { insertPet } from "../../src/pets/pets.repository.ts";
import { failureOf } from "../../src/readiness.ts";
import { temporaryStorage } from "../temporary.ts";

test("an outage is one error with its stack, then a number now and then, and its end; the next is told anew", async () => {
  const storage = await temporaryStorage();
  const lines: { level: number; msg: string; err?: { stack: string }; req?: object; failures?: number }[] = [];
  const logger = pino(
    { level: "info" },
    { write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[number]) },
  );
  const report = outageLog(logger, async () => (await failureOf(storage)) === undefined, 20);
  const limit = (pages: number) =>
    storage.write(async (trx) => void (await sql`pragma max_page_count = ${sql.lit(pages)}`.execute(trx)));
  let failures = 0;
  const write = () =>
    storage
      .write((trx) => insertPet(trx, { name: "é".repeat(255), categoryId: 1, status: "sold" }))
      .then(
        () => true,
        (error: unknown) => {
          failures++;
          report(error, { id: failures });
          return false;
        },
      );

  for (const _ of ["first", "second"]) {
    await limit(1); // what it has by now
    while (await write());
    await expect.poll(async () => (await write(), lines.length), { interval: 5 }).toBeGreaterThan(2);
    await expect.poll(() => failureOf(storage)).toMatchObject({ message: "The database cannot be written." });
    await limit(100_000);
    await expect.poll(() => lines.at(-1)?.msg).toBe("the database can be used again");

    const [began, ...others] = lines.splice(0);
    expect(began).toMatchObject({ level: 50, msg: "the database cannot be used", req: { id: 1 } });
    expect(began!.err!.stack).toContain("database or disk is full");
    const counts = others.slice(0, -1);
    expect(new Set(counts.map(({ level, msg }) => `${level} ${msg}`))).toEqual(
      new Set(["50 the database still cannot be used"]),
    );
    expect(counts.map((line) => line.failures).toSorted((a, b) => a! - b!)).toEqual(
      counts.map((line) => line.failures),
    );
    expect(others.at(-1)).toMatchObject({ level: 40, failures });
    expect(others.filter(({ err }) => err !== undefined)).toEqual([]);
    failures = 0;
  }
});
