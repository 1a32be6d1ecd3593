import type { Body } from "../input.ts";
import type { operations } from "../generated/schema.ts";
import type { OperationId } from "../operation.ts";
import type { Failure, Result } from "../result.ts";

/** How an operation answers: with an answer, or with what a function makes of the request. What it throws, `fetch` throws. */
export type Mock<Id extends OperationId> =
  | MockAnswer<Id>
  | ((request: FakeRequest<Id>) => MockAnswer<Id> | Promise<MockAnswer<Id>>);

/**
 * An answer of a status that the contract declares. Without a body it has the contract's example of that status; headers
 * that the status must have are added when missing.
 */
export type MockAnswer<Id extends OperationId> = MockAnswers[Id];

/** A request that keeps to the contract, its parameters by name and as the values they stand for. */
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

/** An interface, as the compiler looks into one while it infers `Id`, so that literals in what functions return stay literal. */
interface MockAnswers extends ByOperation {}

type ByOperation = { [Id in OperationId]: AnswerOf<Exclude<Result<Id>, Failure>> };

type AnswerOf<Member> = Member extends { ok: true; status: infer Status; data: infer Data }
  ? { status: Status; body?: Data; headers?: Record<string, string> }
  : Member extends { ok: false; status: infer Status; error: infer Error }
    ? { status: Status; body?: Error; headers?: Record<string, string> }
    : never;

type Place<Id extends OperationId, Name extends "path" | "query"> = [
  NonNullable<operations[Id]["parameters"][Name]>,
] extends [never]
  ? Record<string, never>
  : NonNullable<operations[Id]["parameters"][Name]>;
