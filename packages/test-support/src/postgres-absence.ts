import { inject, test } from "vitest";

// oxlint-disable-next-line vitest/expect-expect -- this test stands for those that cannot run
test("everything on PostgreSQL", (context) => context.skip(inject("absence")));
