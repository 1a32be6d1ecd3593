import { execute } from "@platform/test-support/postgres";
import { expect, inject, test } from "vitest";
import { expectError, creation, startService } from "./start.ts";

test("/readyz returns 503 while PostgreSQL is read-only, as a standby is, and 200 once a probe is committed", async () => {
  await using service = await startService();
  const name = new URL(service.databaseUrl).pathname.slice(1);
  const others =
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
  const setReadOnly = async (value: "on" | "off"): Promise<void> => {
    await execute(inject("postgresUrl")!, `alter database ${name} set default_transaction_read_only = ${value}`);
    await execute(service.databaseUrl, others); // the setting applies to new connections
  };
  const add = () => service.request("/things", creation("Rex"));
  const readyz = () => fetch(new URL("/readyz", service.baseUrl));
  await service.add();
  expect((await readyz()).status).toBe(200);

  await setReadOnly("on");
  await expectError(await add(), 503, "unavailable");
  await expect.poll(async () => (await service.request("/things/1")).status).toBe(200);
  await expect
    .poll(async () => expectError(await readyz(), 503, "unavailable"))
    .toBe("The database cannot be written.");

  await setReadOnly("off");
  await expect.poll(async () => (await readyz()).status).toBe(200);
  expect((await add()).status).toBe(201);
});
