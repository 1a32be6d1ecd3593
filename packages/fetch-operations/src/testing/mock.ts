import type { Failure, UndeclaredError } from "../result.ts";

/** The types of a contract that its fake has: the results and the requests of each operation. */
export interface FakeTypes {
  results: object;
  requests: { [name: string]: { path: unknown; query: unknown; body: unknown } };
}

/** The names of a contract's operations. */
export type IdOf<Types extends FakeTypes> = keyof Types["results"] & keyof Types["requests"] & string;

/** A mocked response, or a function that returns one for a request. If the function throws, `fetch` throws the same error. */
export type MockOf<Types extends FakeTypes, Id extends IdOf<Types>> =
  | MockAnswersOf<Types>[Id]
  | ((request: FakeRequestOf<Types, Id>) => MockAnswersOf<Types>[Id] | Promise<MockAnswersOf<Types>[Id]>);

/**
 * The responses with a status that the contract declares. The default body is the contract's example of that status, or else
 * a valid value of its schema. Missing required headers are added in the same way.
 */
export type MockAnswersOf<Types extends FakeTypes> = {
  [Id in IdOf<Types>]: ResponseOf<Exclude<Types["results"][Id], Failure | { error: UndeclaredError }>>;
};

/** A request that satisfies the contract, with its parameters by name and parsed. */
export type FakeRequestOf<Types extends FakeTypes, Id extends IdOf<Types> = IdOf<Types>> = {
  [Name in Id]: {
    operationId: Name;
    url: string;
    path: PlaceOf<Types["requests"][Name]["path"]>;
    query: PlaceOf<Types["requests"][Name]["query"]>;
    headers: Headers;
    body: Types["requests"][Name]["body"];
  };
}[Id];

type ResponseOf<Member> = Member extends { ok: true; status: infer Status; data: infer Data }
  ? { status: Status; body?: Data; headers?: Record<string, string> }
  : Member extends { ok: false; status: infer Status; error: infer Error }
    ? { status: Status; body?: Error; headers?: Record<string, string> }
    : never;

type PlaceOf<Declared> = unknown extends Declared ? Record<string, never> : Declared;
