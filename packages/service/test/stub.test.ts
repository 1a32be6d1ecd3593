import { expect, test } from "vitest";
import { Problem } from "express-operations";
import { isStub, stub, stubsIn } from "../src/stub.ts";

test("a stub responds with 501 that names the operation", async () => {
  const failure: unknown = await stub()
    .handler({ operationId: "listThings" })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Problem);
  expect(failure).toMatchObject({
    status: 501,
    code: "not_implemented",
    message: "The operation listThings is not implemented yet.",
  });
});

test("stubs are found among handlers", () => {
  const handlers = { listThings: stub(), addThing: () => {}, getThing: stub() };
  expect(stubsIn(handlers)).toEqual(["listThings", "getThing"]);
  expect([isStub(handlers.addThing), isStub(undefined)]).toEqual([false, false]);
});
