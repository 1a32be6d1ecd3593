import { pathOfFileUrl } from "@openapi-operations/storage/url";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { expectError, creation, startService } from "./start.ts";

test("writes get 503 while another process locks the database, and succeed afterwards", async () => {
  const own = await startService();
  const other = new Sqlite(pathOfFileUrl(own.databaseUrl));
  other.exec("begin exclusive");
  const response = await own.request("/things", creation("Rex"));
  expect(response.headers.get("Retry-After")).toBe("1");
  await expectError(response, 503, "unavailable");
  expect((await own.request("/things")).status).toBe(200);
  other.exec("rollback");
  other.close();
  await own.add();
  await own[Symbol.asyncDispose]();
});
