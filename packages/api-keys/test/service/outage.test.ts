import { writeFile } from "node:fs/promises";
import { pathOfFileUrl } from "@openapi-operations/storage/url";
import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { expectError, creation, startService } from "./start.ts";
import { temporaryStorage } from "../tables.ts";

describe("a key that cannot be looked up gives 503, and no access", () => {
  test("while the table of keys is missing, and access once it is back", async () => {
    await using service = await startService();
    const file = new Sqlite(pathOfFileUrl(service.databaseUrl));
    onTestFinished(() => void file.close());
    expect((await service.request("/things")).status).toBe(200);
    file.exec("alter table api_keys rename to away");
    await expectError(await service.request("/things"), 503, "unavailable");
    const refused = await service.request("/things", creation("Rex"));
    expect(refused.headers.get("Retry-After")).toBe("1");
    await expectError(refused, 503, "unavailable");
    await expectError(await service.request("/things", { key: null }), 401, "unauthorized");
    file.exec("alter table away rename to api_keys");
    expect(await (await service.request("/things")).json()).toEqual([]);
  });

  test("if the file is overwritten", async () => {
    await using service = await startService();
    const path = pathOfFileUrl(service.databaseUrl);
    const file = new Sqlite(path);
    file.exec("insert into things (name) values ('Rex')"); // makes earlier reads stale
    file.pragma("wal_checkpoint(truncate)");
    file.close();
    await writeFile(path, "This is not a database. ".repeat(10_000));
    await expectError(await service.request("/things"), 503, "unavailable");
    await expectError(await service.request("/things", creation("Rex")), 503, "unavailable");
  });

  test("if the connection is closed", async () => {
    const storage = await temporaryStorage();
    await using service = await startService({ DATABASE_URL: storage.url }, { storage });
    const list = () => service.request("/things");
    expect((await list()).status).toBe(200);
    await storage.destroy();
    await expectError(await list(), 503, "unavailable");
  });
});
