import { join } from "node:path";
import { root } from "@platform/test-support/clone";
import { startProgram } from "@platform/test-support/program";
import { expect, test } from "vitest";
import { createPetstore } from "../src/index.ts";

test("the client creates, fetches, pages and gets errors with the mock as with the service", async () => {
  const mock = join(root, "packages/contract-tools/src/mock/main.ts");
  const { baseUrl } = await startProgram([process.execPath, mock, "--port", "0"], { cwd: root, env: process.env });
  const petstore = createPetstore({ baseUrl, apiKey: "any-key", onDeprecated: false, retry: { limit: 1 } });

  const mia = await petstore.createPet({ name: "Mia", categoryId: 3, status: "sold" }).orThrow();
  expect(await petstore.getPet({ petId: mia.id }).orThrow()).toEqual(mia);
  expect(await petstore.listPets({ status: "sold" }).orThrow()).toEqual([mia]);
  const ids: number[] = [];
  for await (const { id } of petstore.paginate.listPets({ limit: 1 })) ids.push(id);
  expect(ids).toEqual([1, 2, 3]);

  const missing = await petstore.GET("/pets/{petId}", { params: { path: { petId: 4711 } } });
  expect(missing).toMatchObject({ response: { status: 404 }, error: { code: "not_found" } });
  const refused = await petstore.listPets({}, { headers: { Prefer: "code=403" } });
  expect(refused).toMatchObject({ ok: false, status: 403, error: { code: "forbidden" } });
});
