import type { Body } from "../input.ts";
import type { operations } from "../generated/schema.ts";
import type { OperationId } from "../operation.ts";
import type { Failure, Result } from "../result.ts";

/** A mocked response, or a function that returns one for a request. If the function throws, `fetch` throws the same error. */
export type Mock<Id extends OperationId> =
  | MockAnswer<Id>
  | ((request: FakeRequest<Id>) => MockAnswer<Id> | Promise<MockAnswer<Id>>);

/**
 * A response with a status that the contract declares. The default body is the contract's example of that status. Missing
 * required headers are added with the contract's examples.
 */
export type MockAnswer<Id extends OperationId> = MockAnswers[Id];

/** A request that satisfies the contract, with its parameters by name and parsed. */
export type FakeRequest<Id extends OperationId = OperationId> = Id extends OperationId
  ? {
      operationId: Id;
      url: string;
      path: Place<Id, "path">;
      query: Place<Id, "query">;
      headers: Headers;
      body: [Body<Id>] extends [never] ? undefined : Body<Id>;
    }
  : never;

/** An interface and not an alias: the compiler then infers literal types in the return values of mock functions. */
interface MockAnswers extends ByOperation {}

type ByOperation = { [Id in OperationId]: ResponseOf<Exclude<Result<Id>, Failure>> };

type ResponseOf<Member> = Member extends { ok: true; status: infer Status; data: infer Data }
  ? { status: Status; body?: Data; headers?: Record<string, string> }
  : Member extends { ok: false; status: infer Status; error: infer Error }
    ? { status: Status; body?: Error; headers?: Record<string, string> }
    : never;

type Place<Id extends OperationId, Name extends "path" | "query"> = [
  NonNullable<operations[Id]["parameters"][Name]>,
] extends [never]
  ? Record<string, never>
  : NonNullable<operations[Id]["parameters"][Name]>;
