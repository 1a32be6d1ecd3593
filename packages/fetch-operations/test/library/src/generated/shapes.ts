// Generated from the contract by fetch-operations. Do not edit.
import type { Shapes } from "fetch-operations";

/** The places of 64-bit integers and dates in the schemas of the contract. */
export const shapes: Shapes = {
  "Book": { "fields": { "id": "int64", "due": "date-time", "sequel": "#Book" } },
  "Loan": { "fields": { "book": "#Book" } }
};
