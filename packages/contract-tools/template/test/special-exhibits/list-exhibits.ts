import { expect, test } from "vitest";
import { startService } from "../../testing/service.ts";

test("listExhibits answers with 200", async () => {
  await using service = await startService();
  const response = await service.request("/exhibits");
  expect(response.status, "listExhibits is not implemented yet").toBe(200);
});
