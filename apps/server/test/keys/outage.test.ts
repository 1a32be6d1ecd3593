import { writeFile } from "node:fs/promises";
import { keyUses } from "@platform/api-keys/authentication";
import { createApiKey } from "@platform/api-keys/keys.repository";
import { listen } from "@platform/service/listener";
import { pathOfFileUrl } from "@platform/storage/url";
import Sqlite from "better-sqlite3";
import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { createApp } from "../../src/app.ts";
import { expectError, json, startService } from "../../testing/service.ts";
import { temporaryStorage } from "../temporary.ts";

describe("a key that cannot be looked up gives 503, and no access", () => {
  test("while the table of keys is missing, and access once it is back", async () => {
    await using service = await startService();
    const file = new Sqlite(pathOfFileUrl(service.databaseUrl));
    onTestFinished(() => void file.close());
    expect((await service.request("/pets")).status).toBe(200);
    file.exec("alter table api_keys rename to away");
    await expectError(await service.request("/pets"), 503, "unavailable");
    const refused = await service.request("/pets", json({ name: "Rex", categoryId: 1 }));
    expect(refused.headers.get("Retry-After")).toBe("1");
    await expectError(refused, 503, "unavailable");
    await expectError(await service.request("/pets", { key: null }), 401, "unauthorized");
    file.exec("alter table away rename to api_keys");
    expect(await (await service.request("/pets")).json()).toEqual([]);
  });

  test("if the file is overwritten", async () => {
    await using service = await startService();
    const path = pathOfFileUrl(service.databaseUrl);
    const file = new Sqlite(path);
    file.exec("insert into pets (name, category_id, status) values ('Rex', 1, 'sold')"); // makes earlier reads stale
    file.pragma("wal_checkpoint(truncate)");
    file.close();
    await writeFile(path, "This is not a database. ".repeat(10_000));
    await expectError(await service.request("/pets"), 503, "unavailable");
    await expectError(await service.request("/pets", json({ name: "Rex", categoryId: 1 })), 503, "unavailable");
  });

  test("if the connection is closed", async () => {
    const storage = await temporaryStorage();
    const { key } = await storage.write((trx) => createApiKey(trx, { name: "shop", environment: "development" }));
    const logger = pino({ level: "silent" });
    const app = await createApp({
      storage,
      logger,
      keyUses: keyUses(storage.write, logger),
      environment: "development",
      maxInFlight: 10,
      rateLimits: { perCaller: undefined, failuresPerAddress: undefined },
      isStopping: () => false,
    });
    const listener = await listen(app, { host: "127.0.0.1", port: 0 });
    onTestFinished(async () => void (await listener.close()));
    const list = () => fetch(`${listener.origin}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } });
    expect((await list()).status).toBe(200);
    await storage.destroy();
    await expectError(await list(), 503, "unavailable");
  });
});
