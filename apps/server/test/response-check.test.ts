import { keyUses } from "@platform/api-keys/authentication";
import { createApiKey } from "@platform/api-keys/keys.repository";
import { listen } from "@platform/service/listener";
import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { createApp } from "../src/app.ts";
import { readConfig } from "../src/config.ts";
import { insertPet } from "../src/resources/pets/pets.repository.ts";
import { temporaryStorage } from "./temporary.ts";

test("a response that breaks the contract is sent unchanged in production, and its violation is logged without its value", async () => {
  const storage = await temporaryStorage();
  const { key } = await storage.write((trx) => createApiKey(trx, { name: "k", environment: "production" }));
  const { id } = await storage.write((trx) => insertPet(trx, { name: "Ca\tnary", categoryId: 1, status: "sold" }));
  const lines: string[] = [];
  const logger = pino({}, { write: (line) => lines.push(line) });
  const uses = keyUses(storage.write, logger);
  const config = readConfig({ PETSTORE_ENV: "production", PORT: "0" });
  const { signal: shutdown } = new AbortController();
  const context = {
    logger,
    metrics: undefined,
    tracing: undefined,
    isStopping: () => false,
    shutdown,
    onClose: () => {},
  };
  const app = await createApp({ ...config, ...context, storage, keyUses: uses });
  const { origin, close } = await listen(app, config);
  onTestFinished(async () => {
    await close();
    await uses.close();
  });
  vi.spyOn(Math, "random").mockReturnValue(0); // so that this response is in the sample
  onTestFinished(() => void vi.restoreAllMocks());

  const response = await fetch(`${origin}/v1/pets/${id}`, { headers: { Authorization: `Bearer ${key}` } });
  expect({ status: response.status, body: await response.json() }).toEqual({
    status: 200,
    body: { id, name: "Ca\tnary", categoryId: 1, status: "sold" },
  });
  expect(lines.join("")).toContain('"violation":{"operationId":"getPet","status":200,"pointer":"/body/name"');
  expect(lines.join("")).not.toContain("nary");
});
