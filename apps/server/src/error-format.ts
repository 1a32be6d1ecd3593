import { document } from "@petstore/contract/document";
import type { ErrorFormat } from "@platform/service/problems";
import { Problem } from "express-operations";
import { declaredErrors } from "express-operations/declared-errors";
import { CREDENTIALS } from "./security.ts";

const declared = declaredErrors(document);

/** Writes errors as the contract declares them. Each 401 has the same message, whatever is wrong with the credentials. */
export const errorFormat: ErrorFormat = (problem, context) => {
  if (problem.status !== 401) return declared(problem, context);
  return declared(new Problem(401, problem.code, CREDENTIALS, problem.headers), context);
};
