// Generated from the contract by fetch-operations. Do not edit.
import type { In } from "fetch-operations";
import { createFake, type Fake, type FakeRequestOf, type MockAnswersOf, type MockOf } from "fetch-operations/testing";
import type { OperationId, Results } from "./calls.ts";
import { document } from "./document.ts";
import { operations } from "./operations.ts";
import type { paths } from "./schema.ts";

/** The requests of each operation. */
interface Requests {
  listPets: { path: In<paths["/pets"]["get"], "path">; query: In<paths["/pets"]["get"], "query">; body: undefined };
  createPet: { path: In<paths["/pets"]["post"], "path">; query: In<paths["/pets"]["post"], "query">; body: NonNullable<paths["/pets"]["post"]["requestBody"]>["content"]["application/json"] };
  getPet: { path: In<paths["/pets/{petId}"]["get"], "path">; query: In<paths["/pets/{petId}"]["get"], "query">; body: undefined };
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
export interface FakePetstore extends Fake<Types> {}

/** Creates a fake service. Pass its `fetch` to `createPetstore`. */
export function createFakePetstore(): FakePetstore {
  return createFake<Types>(document, operations);
}

export { ContractViolation } from "fetch-operations/testing";
