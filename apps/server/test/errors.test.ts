import { document } from "@petstore/contract/document";
import { ERRORS, errorBody } from "@platform/service/errors";
import { asProblem, problemBody } from "@platform/service/problems";
import { Problem, PROBLEM_CODES } from "express-operations";
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
  expect(problemBody(asProblem(new Problem(404, "not_found", "No such animal.")))).toEqual(
    errorBody("not_found", "No such animal."),
  );
});
