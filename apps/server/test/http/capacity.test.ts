import { pathOfFileUrl } from "@platform/storage/url";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { startService } from "../../testing/service.ts";

test("probes get 200 while the service is at its capacity", async () => {
  await using service = await startService({ MAX_IN_FLIGHT: "1" });
  const lock = new Sqlite(pathOfFileUrl(service.databaseUrl)).exec("begin immediate");
  const first = service.addPet();
  await expect.poll(async () => (await service.request("/pets")).status).toBe(503);
  for (const path of ["/healthz", "/readyz"]) {
    expect((await fetch(new URL(path, service.baseUrl))).status).toBe(200);
  }
  lock.exec("rollback").close();
  await first;
});
