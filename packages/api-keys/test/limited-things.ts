import { startThings, type Things } from "@openapi-operations/service/testing";
import { isDatabaseUnavailable } from "@openapi-operations/storage/database-error";
import { pino } from "pino";
import { onTestFinished } from "vitest";
import { authentication, keyUses } from "../src/authentication.ts";
import { createApiKey } from "../src/keys.repository.ts";
import { withRateLimits, type RateLimits } from "../src/rate-limits.ts";
import { temporaryStorage } from "./tables.ts";

type Storage = Awaited<ReturnType<typeof temporaryStorage>>;

/** A service with rate limits, and a new key for it. */
export interface LimitedThings extends Things {
  storage: Storage;
  key: string;
}

/** Starts a service with these limits until the end of the test, by default on a fresh database. */
export async function startLimited(
  limits: Partial<RateLimits>,
  { storage: given, env = {} }: { storage?: Storage; env?: NodeJS.ProcessEnv } = {},
): Promise<LimitedThings> {
  const storage = given ?? (await temporaryStorage());
  const { key } = await storage.write((trx) => createApiKey(trx, { name: "own", environment: "development" }));
  const uses = keyUses(storage.write, pino({ level: "silent" }));
  const { security, onInvalidCredential } = withRateLimits(
    { perCaller: undefined, failuresPerAddress: undefined, ...limits },
    storage.db,
    { bearerAuth: authentication(storage.db, uses, "development") },
  );
  const service = await startThings({
    env,
    isOutage: isDatabaseUnavailable,
    security: security["bearerAuth"]!,
    onInvalidCredential,
  });
  onTestFinished(async () => {
    await service.close();
    await uses.close();
  });
  return {
    ...service,
    request: (path, { token = key, ...init } = {}) => service.request(path, { token, ...init }),
    storage,
    key,
  };
}
