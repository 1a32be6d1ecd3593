import type { TestProject } from "vitest/node";
import { startPostgres } from "./postgres.ts";

/** The server named by `TEST_DATABASE_URL`, or one of our own for as long as the tests run. */
export default async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env["TEST_DATABASE_URL"];
  if (given) {
    provide("postgresUrl", given);
    return undefined;
  }
  const server = await startPostgres();
  provide("postgresUrl", server.url);
  return () => server[Symbol.asyncDispose]();
}
