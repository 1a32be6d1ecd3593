import { document } from "@petstore/contract/document";
import { hash, version } from "@petstore/contract";
import { startService } from "@petstore/server/testing";
import { describe, expect, test } from "vitest";
import { operations } from "../src/operations.ts";
import { createPetstore } from "../src/index.ts";
import { faulty } from "./faulty.ts";

describe("checkContract", () => {
  test("finds no difference to this repository's service", async () => {
    await using service = await startService();
    const petstore = createPetstore({ baseUrl: service.baseUrl, apiKey: service.key });
    expect(petstore.contract).toEqual({ version, hash });
    expect(await petstore.checkContract()).toEqual({
      compatible: true,
      changed: [],
      removed: [],
      added: [],
      client: { version, hash },
      server: { version, hash },
    });
  });

  test("lists changed, removed and added operations, also for a change behind a reference", async () => {
    const changed = structuredClone(document);
    changed.info.version = "1.1.0";
    changed.components.schemas.NewPet.properties.name.$ref = "#/components/schemas/PetStatus";
    Object.assign(changed.paths, { "/keepers": { get: { operationId: "listKeepers", responses: {} } } });
    Object.assign(changed.paths["/pets/{petId}"], { get: undefined });
    const check = await checkAgainst(changed);
    expect(check).toMatchObject({
      compatible: false,
      changed: ["createPet"],
      removed: ["getPet"],
      added: ["listKeepers"],
    });
    expect(check.server.version).toBe("1.1.0");
    expect(check.server.hash).not.toBe(hash);
  });

  test("a changed shared response changes each operation that uses it", async () => {
    const changed = structuredClone(document);
    changed.components.schemas.Error.required.pop();
    expect((await checkAgainst(changed)).changed).toEqual(Object.keys(operations));
  });

  test("changed prose, examples, order and additions are compatible", async () => {
    const { paths, ...rest } = structuredClone(document);
    const get = { ...paths["/pets"].get, description: "Otherwise.", summary: "Other", tags: ["Other"] };
    const reworded = {
      paths: {
        "/keepers": { get: { operationId: "listKeepers", responses: {} } },
        ...paths,
        "/pets": { post: paths["/pets"].post, get },
      },
      ...rest,
    };
    reworded.components.parameters.Limit.examples.ten.value = 9;
    expect(await checkAgainst(reworded)).toMatchObject({
      compatible: true,
      changed: [],
      removed: [],
      added: ["listKeepers"],
    });
  });

  test("requests the document beside the version in baseUrl, without the key", async () => {
    const requests: unknown[] = [];
    await using server = await faulty(({ url, headers }, response) => {
      requests.push([url, headers.authorization]);
      response.end(JSON.stringify(document));
    });
    await server.petstore.checkContract();
    const behind = createPetstore({ baseUrl: `${server.origin}/petstore/v1/`, apiKey: "k" });
    await behind.checkContract();
    expect(requests).toEqual([
      ["/openapi.json", undefined],
      ["/petstore/openapi.json", undefined],
    ]);
  });
});

async function checkAgainst(contract: object) {
  await using server = await faulty((_, response) => void response.end(JSON.stringify(contract)));
  return await server.petstore.checkContract();
}
