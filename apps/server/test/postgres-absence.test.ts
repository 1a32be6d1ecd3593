import { inject, test } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Why there is no PostgreSQL server for the tests. */
    absence?: string;
  }
}

// oxlint-disable-next-line vitest/expect-expect -- it stands for the tests that cannot run
test("everything on PostgreSQL", (context) => context.skip(inject("absence")));
