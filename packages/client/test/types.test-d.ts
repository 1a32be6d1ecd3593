import { expectTypeOf } from "vitest";
import type { UndeclaredError } from "fetch-operations";
import type {
  CreatePetInput,
  Data,
  Error,
  Failure,
  FailureError,
  Pet,
  Pets,
  Petstore,
  PetStatus,
  Result,
} from "../src/index.ts";
import { call, type Connection, createPet, getPet, listPets, paginate } from "../src/operations.ts";

declare const petstore: Petstore;
declare const connection: Connection;
declare const result: Result<"getPet">;

// A status narrows the result to its own member, also a status that only `default` declares.
if (result.status === 200) expectTypeOf(result.data).toEqualTypeOf<Pet>();
else if (result.status === 404)
  expectTypeOf(result).toEqualTypeOf<{
    ok: false;
    status: 404;
    error: Error;
    data?: undefined;
    response: Response;
    requestId: string | undefined;
  }>();
else if (result.status === 0) expectTypeOf(result).toEqualTypeOf<Failure>();
else {
  expectTypeOf(result.error).toEqualTypeOf<Error | UndeclaredError>();
  if (result.status === 503) expectTypeOf(result.error).toEqualTypeOf<Error>();
  if (result.status === 302) expectTypeOf(result.error).toEqualTypeOf<UndeclaredError>();
  // @ts-expect-error 404 was handled above
  void (result.status === 404);
  // @ts-expect-error no result has this status
  void (result.status === 600);
}

// `ok` separates successes from errors.
if (result.ok) expectTypeOf(result.data).toEqualTypeOf<Pet>();
else expectTypeOf(result.error).toEqualTypeOf<Error | UndeclaredError | FailureError>();
expectTypeOf(result.data).toEqualTypeOf<Pet | undefined>();
expectTypeOf<Data<"listPets">>().toEqualTypeOf<Pets>();

// A result can be destructured as in openapi-fetch.
const { ok, data, error } = result;
if (ok) expectTypeOf(data).toEqualTypeOf<Pet>();
else expectTypeOf(error.message).toEqualTypeOf<string>();

// An argument is optional exactly when nothing in it is required.
void petstore.listPets();
void petstore.GET("/pets");
// @ts-expect-error petId is required
void petstore.getPet();
// @ts-expect-error petId is required
void petstore.getPet({});
// @ts-expect-error params are required
void petstore.GET("/pets/{petId}");
// @ts-expect-error a body is required
void petstore.POST("/pets", {});
// @ts-expect-error the path has no such method
void petstore.POST("/pets/{petId}");
// @ts-expect-error limit is a number
void petstore.GET("/pets", { params: { query: { limit: "1" } } });
// @ts-expect-error the contract has no such status
void petstore.listPets({ status: "lost" });
expectTypeOf<CreatePetInput>().toEqualTypeOf<{
  "Idempotency-Key"?: string;
  name: string;
  categoryId: number;
  status?: PetStatus;
}>();

// Single operations have the same types.
expectTypeOf(call(connection, getPet, { petId: 1 }).orThrow()).toEqualTypeOf<Promise<Pet>>();
expectTypeOf(call(connection, listPets)).toEqualTypeOf<ReturnType<Petstore["listPets"]>>();
// @ts-expect-error a name is required
void call(connection, createPet, { categoryId: 1 });
// @ts-expect-error getPet is not paged
paginate(connection, getPet, { petId: 1 });
