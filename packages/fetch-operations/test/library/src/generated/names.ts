// Generated from the contract by fetch-operations. Do not edit.
import type { components } from "./schema.ts";

export type Book = components["schemas"]["Book"];
export type Loan = components["schemas"]["Loan"];
export type Problem = components["schemas"]["Problem"];
export type DataSchema = components["schemas"]["Data"];
export type LibraryErrorSchema = components["schemas"]["LibraryError"];
export type ListBooksInputSchema = components["schemas"]["ListBooksInput"];
export type class_ = components["schemas"]["class"];
export type any_ = components["schemas"]["any"];
export type shelfMark = components["schemas"]["shelf-mark"];
export type $mark_1 = components["schemas"]["$mark_1"];
