import { document } from "@petstore/contract/document";
import { ERRORS } from "@platform/service/errors";
import { expect, test } from "vitest";

test("the contract's table of codes equals ERRORS", () => {
  const rows = Array.from(document.info.description.matchAll(/^\| (\d{3}) \| `([a-z_]+)` \|/gm), ([, status, code]) => [
    code,
    Number(status),
  ]);
  expect(Object.fromEntries(rows)).toEqual(
    Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status])),
  );
});
