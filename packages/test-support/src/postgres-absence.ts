import { inject, test } from "vitest";

// oxlint-disable-next-line vitest/expect-expect -- it stands for the tests that cannot run
test("everything on PostgreSQL", (context) => context.skip(inject("absence")));
