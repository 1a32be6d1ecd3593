// Generated from the contract by fetch-operations. Do not edit.
import type { In } from "fetch-operations";
import { createFake, type Fake, type FakeRequestOf, type MockAnswersOf, type MockOf } from "fetch-operations/testing";
import type { OperationId, Results } from "./calls.ts";
import { document } from "./document.ts";
import { operations } from "./operations.ts";
import type { paths } from "./schema.ts";

/** The requests of each operation. */
interface Requests {
  listBooks: { path: In<paths["/books"]["get"], "path">; query: In<paths["/books"]["get"], "query">; body: undefined };
  addBook: { path: In<paths["/books"]["post"], "path">; query: In<paths["/books"]["post"], "query">; body: NonNullable<paths["/books"]["post"]["requestBody"]>["content"]["application/json"] };
  getBook: { path: In<paths["/books/{id}"]["get"], "path">; query: In<paths["/books/{id}"]["get"], "query">; body: undefined };
  replaceBook: { path: In<paths["/books/{id}"]["put"], "path">; query: In<paths["/books/{id}"]["put"], "query">; body: NonNullable<paths["/books/{id}"]["put"]["requestBody"]>["content"]["application/json"] };
  delete_: { path: In<paths["/books/{id}"]["delete"], "path">; query: In<paths["/books/{id}"]["delete"], "query">; body: undefined };
  peekBook: { path: In<paths["/books/{id}"]["head"], "path">; query: In<paths["/books/{id}"]["head"], "query">; body: undefined };
  getCover: { path: In<paths["/books/{id}/cover"]["get"], "path">; query: In<paths["/books/{id}/cover"]["get"], "query">; body: undefined };
  putCover: { path: In<paths["/books/{id}/cover"]["put"], "path">; query: In<paths["/books/{id}/cover"]["put"], "query">; body: unknown };
  addCovers: { path: In<paths["/books/{id}/cover"]["post"], "path">; query: In<paths["/books/{id}/cover"]["post"], "query">; body: unknown };
  search: { path: In<paths["/search"]["post"], "path">; query: In<paths["/search"]["post"], "query">; body: NonNullable<paths["/search"]["post"]["requestBody"]>["content"]["application/vnd.library+json"] };
  listLoans: { path: In<paths["/loans"]["get"], "path">; query: In<paths["/loans"]["get"], "query">; body: undefined };
  lend: { path: In<paths["/loans"]["post"], "path">; query: In<paths["/loans"]["post"], "query">; body: NonNullable<paths["/loans"]["post"]["requestBody"]>["content"]["application/json"] };
  authors: { path: In<paths["/authors"]["get"], "path">; query: In<paths["/authors"]["get"], "query">; body: undefined };
  refreshAuthors: { path: In<paths["/authors"]["post"], "path">; query: In<paths["/authors"]["post"], "query">; body: NonNullable<paths["/authors"]["post"]["requestBody"]>["content"]["application/json"] };
  watch: { path: In<paths["/events"]["get"], "path">; query: In<paths["/events"]["get"], "query">; body: undefined };
  follow: { path: In<paths["/events"]["post"], "path">; query: In<paths["/events"]["post"], "query">; body: unknown };
  readLines: { path: In<paths["/lines"]["get"], "path">; query: In<paths["/lines"]["get"], "query">; body: undefined };
}

interface Types {
  results: Results;
  requests: { [Id in OperationId]: Requests[Id] };
}

/** An interface and not an alias: the compiler then infers literal types in the return values of mock functions. */
interface MockAnswers extends MockAnswersOf<Types> {}

/** A mocked response, or a function that returns one for a request. If the function throws, `fetch` throws the same error. */
export type Mock<Id extends OperationId> = MockOf<Types, Id>;

/**
 * A response with a status that the contract declares. The default body is the contract's example of that status, or else
 * a valid value of its schema. Missing required headers are added in the same way.
 */
export type MockAnswer<Id extends OperationId> = MockAnswers[Id];

/** A request that satisfies the contract, with its parameters by name and parsed. */
export type FakeRequest<Id extends OperationId = OperationId> = FakeRequestOf<Types, Id>;

/** A service in memory that validates requests and mocked responses against the contract. */
export interface FakeLibrary extends Fake<Types> {}

/** Creates a fake service. Pass its `fetch` to `createLibrary`. */
export function createFakeLibrary(): FakeLibrary {
  return createFake<Types>(document, operations, { int64: "bigint", dates: "Date", publishedContract: "../contract/openapi.json" });
}

export { ContractViolation } from "fetch-operations/testing";
