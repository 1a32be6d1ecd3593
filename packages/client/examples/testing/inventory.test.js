/** Tests of `inventory.js` without a service: `npm install --save-dev @cfworker/json-schema`, then `node --test`. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { afterEach, test } from "node:test";
import { createPetstore } from "@petstore/client";
import { createFakePetstore } from "@petstore/client/testing";
import { inventory } from "./inventory.js";

const fake = createFakePetstore();
const petstore = createPetstore({ baseUrl: "https://pets.test/v1", apiKey: "any", fetch: fake.fetch });
afterEach(() => {
  fake.verify();
  fake.reset();
});

test("counts the animals of all pages", async () => {
  const rex = { id: 1, name: "Rex", categoryId: 1 };
  fake.mock(
    "listPets",
    { status: 200, body: [{ ...rex, status: "sold" }], headers: { Link: '<?limit=100&cursor=abc>; rel="next"' } },
    { status: 200, body: [{ ...rex, id: 2, status: "available" }] },
  );
  deepEqual(await inventory(petstore), { available: 1, pending: 0, sold: 1 });
  equal(fake.requestsTo("listPets")[1]?.query.cursor, "abc");
});

test("rejects if the list cannot be loaded", async () => {
  fake.mock("listPets", { status: 403 });
  await rejects(inventory(petstore), { name: "PetstoreError", operationId: "listPets", status: 403 });
});
