import { expect, test } from "vitest";
import { limitsOf, setLocally } from "../src/postgres/postgres.dialect.ts";

const DEFAULTS = { statement_timeout: 4_000, lock_timeout: 2_000, idle_in_transaction_session_timeout: 4_000 };

test.each([
  ["postgres://host/petstore", {}, "postgres://host/petstore"],
  ["postgres://one,two/petstore?statement_timeout=0", { statement_timeout: 0 }, "postgres://one,two/petstore"],
  [
    "postgres:///petstore?host=/run/postgresql&lock_timeout=7&idle_in_transaction_session_timeout=9",
    { lock_timeout: 7, idle_in_transaction_session_timeout: 9 },
    `postgres:///petstore?host=${encodeURIComponent("/run/postgresql")}`,
  ],
])("limitsOf splits %s", (url, given, rest) => {
  expect(limitsOf(url)).toEqual({ limits: { ...DEFAULTS, ...given }, rest });
});

test("setLocally sets each limit until the end of the transaction", () => {
  expect(setLocally(DEFAULTS)).toBe(
    "set local statement_timeout = 4000; set local lock_timeout = 2000; set local idle_in_transaction_session_timeout = 4000",
  );
});
