import { idempotent } from "@platform/api-keys/idempotent";
import { listApiKeys } from "@platform/api-keys/keys.repository";
import { expect, test } from "vitest";
import { insertPet } from "../../src/resources/pets/pets.repository.ts";
import { expectError, json, startService } from "../../testing/service.ts";
import { creation, opened } from "../temporary.ts";

test("createPet returns 409 with Retry-After while the first request with its Idempotency-Key runs, and 201 after that request failed", async () => {
  await using service = await startService();
  const db = opened(service.databaseUrl);
  const [apiKey] = await listApiKeys(db);
  const post = () => service.request("/pets", json({ name: "Rex", categoryId: 1 }, { "Idempotency-Key": "slow" }));

  const first = idempotent(creation(db, apiKey!.id, "slow"), async (trx) => {
    await insertPet(trx, { name: "Rex", categoryId: 1, status: "available" });
    const response = await post();
    expect(response.headers.get("Retry-After")).toBe("1");
    await expectError(response, 409, "idempotency_in_progress");
    throw new Error("the first one fails");
  });
  await expect(first).rejects.toThrow("the first one fails");
  expect((await post()).status).toBe(201);
  expect(await (await service.request("/pets")).json()).toHaveLength(1);
});
