import type { TestProject } from "vitest/node";
import { startPostgres } from "./postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A PostgreSQL server on which the tests make databases; without it they use SQLite. */
    postgresUrl?: string;
  }
}

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
