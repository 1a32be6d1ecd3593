import { inject, test } from "vitest";

// oxlint-disable-next-line vitest/expect-expect -- this test represents the tests that cannot run
test("the tests on PostgreSQL", (context) => context.skip(inject("absence")));
