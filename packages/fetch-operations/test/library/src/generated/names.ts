// Generated from the contract by fetch-operations. Do not edit.
import type { components } from "./schema.ts";

export type Book = components["schemas"]["Book"];
export type Loan = components["schemas"]["Loan"];
export type Problem = components["schemas"]["Problem"];
export type $mark_1 = components["schemas"]["$mark_1"];
