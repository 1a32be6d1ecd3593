import { inject, test } from "vitest";
import { needsTool } from "./machine.ts";

// oxlint-disable-next-line vitest/expect-expect -- this test represents the tests that cannot run
test("the tests on PostgreSQL", (context) => needsTool(context, inject("absence")));
