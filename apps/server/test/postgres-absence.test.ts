import { inject, test } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Why there is no PostgreSQL server for the tests. */
    absence?: string;
  }
}

test("everything on PostgreSQL", (context) => context.skip(inject("absence")));
