import type { TestProject } from "vitest/node";
import { startPostgres } from "./postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The PostgreSQL server of the tests; without it, they use SQLite. */
    postgresUrl?: string;
  }
}

/** Provides the server at `TEST_DATABASE_URL`, or starts one for the duration of the tests. */
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
