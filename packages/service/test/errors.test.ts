import { ERRORS, errorBody } from "../src/errors.ts";
import { asProblem, problemBody } from "../src/problems.ts";
import { Problem, PROBLEM_CODES } from "express-operations";
import { expect, test } from "vitest";

test("express-operations rejects requests with codes of ERRORS", () => {
  for (const [status, code] of Object.entries(PROBLEM_CODES)) expect(ERRORS[code].status).toBe(Number(status));
});

test("an error body has the status of its code", () => {
  expect(errorBody("not_found", "Gone.")).toEqual({ code: "not_found", message: "Gone.", status: 404 });
});

test("a Problem keeps its code and message, and any other error becomes internal_error", () => {
  const secret = Object.assign(new Error("password=hunter2"), { status: 418, code: "EACCES" });
  expect(problemBody(asProblem(secret))).toEqual(errorBody("internal_error"));
  expect(problemBody(asProblem(undefined))).toEqual(errorBody("internal_error"));
  expect(problemBody(asProblem(new Problem(404, "not_found", "No such thing.")))).toEqual(
    errorBody("not_found", "No such thing."),
  );
});
