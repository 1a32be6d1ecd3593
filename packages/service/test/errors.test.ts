import { ERRORS, errorBody } from "../src/errors.ts";
import { startThings } from "../testing/start-things.ts";
import { Problem, PROBLEM_CODES } from "express-operations";
import { expect, test } from "vitest";

test("express-operations rejects requests with codes of ERRORS", () => {
  for (const [status, code] of Object.entries(PROBLEM_CODES)) expect(ERRORS[code].status).toBe(Number(status));
});

test("an error body has the status of its code", () => {
  expect(errorBody("not_found", "Gone.")).toEqual({ code: "not_found", message: "Gone.", status: 404 });
});

test("a Problem keeps its code and message, and any other error becomes internal_error", async () => {
  const secret = Object.assign(new Error("password=hunter2"), { status: 418, code: "EACCES" });
  let thrown: unknown;
  await using things = await startThings({
    before: () => {
      throw thrown;
    },
  });
  const bodyFor = async (error: unknown) => {
    thrown = error;
    return (await things.request("/things")).json();
  };
  expect(await bodyFor(secret)).toEqual(errorBody("internal_error"));
  expect(await bodyFor(undefined)).toEqual(errorBody("internal_error"));
  const gone = new Problem(404, "not_found", "No such thing.");
  expect(await bodyFor(gone)).toEqual(errorBody("not_found", "No such thing."));
});
