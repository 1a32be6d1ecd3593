import { document } from "@petstore/contract/document";
import { type ErrorFormat, problem } from "@platform/service/problems";
import { declaredErrors } from "express-operations/declared-errors";
import { CREDENTIALS } from "./security.ts";

const declared = declaredErrors(document);

/** Each 401 has the same message, whatever is wrong with the credentials. */
const unauthorized = problem("unauthorized", undefined, CREDENTIALS);

/** Writes errors as the contract declares them. */
export const errorFormat: ErrorFormat = (sent, context) => declared(sent.status === 401 ? unauthorized : sent, context);
