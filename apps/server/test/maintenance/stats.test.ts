import { readdirSync } from "node:fs";
import { temporaryFolder } from "@platform/test-support/temporary";
import { expect, test } from "vitest";
import { json } from "../../testing/service.ts";
import { run, startProgram } from "../program.ts";

test("petstore stats shows what is in the database of a running service", async () => {
  const folder = await temporaryFolder();
  const program = await startProgram(folder);
  const headers = { Authorization: `Bearer ${program.key}` };
  for (const name of ["Rex", "Tom"]) await fetch(`${program.baseUrl}/pets`, json({ name, categoryId: 1 }, headers));
  const env = { DATABASE_URL: `file:${folder}/data/petstore.db` };
  const before = readdirSync(`${folder}/data`);

  const { code, stdout, stderr } = await run(["stats"], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [summary, titles, pets] = stdout.split("\n");
  expect(summary).toMatch(/^SQLite: [\d.]+ KiB, [\d.]+ K?i?B of it free, write-ahead log [\d.]+ KiB$/);
  expect(titles).toMatch(/^TABLE +ROWS +SIZE +OLDEST +NEWEST$/);
  expect(pets).toMatch(/^pets +2 +8\.0 KiB +20\d\d-\S+Z +20\d\d-\S+Z$/);

  const printed = JSON.parse((await run(["stats", "--json"], env)).stdout) as { tables: object[] };
  expect(printed.tables[0]).toEqual({
    table: "pets",
    rows: 2,
    rowsAre: "exact",
    bytes: 8192,
    bytesAre: "exact",
    oldest: expect.stringMatching(/Z$/),
    newest: expect.stringMatching(/Z$/),
  });
  expect(readdirSync(`${folder}/data`)).toEqual(before);
  expect(await program.stop()).toBe(0);
});

test("petstore stats exits with 1 if there is no database, and with 2 for an unknown option", async () => {
  const env = { DATABASE_URL: `file:${await temporaryFolder()}/none.db` };
  expect(await run(["stats"], env)).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^There is no database at /),
  });
  expect(await run(["stats", "--all"], env)).toMatchObject({ code: 2 });
});
