import type { operations } from "./generated/schema.ts";
import type { OperationId } from "./operation.ts";

/** The JSON body that an operation takes. */
export type Body<Id extends OperationId> = operations[Id] extends {
  requestBody?: { content: { "application/json": infer Json } };
}
  ? Json
  : never;

/** The path, query and header parameters of an operation, by name. */
export type Parameters<Id extends OperationId> = Known<operations[Id]["parameters"], "path"> &
  Known<operations[Id]["parameters"], "query"> &
  Known<operations[Id]["parameters"], "header">;

/** Flattens an intersection into one object type, so that editors show its fields. */
export type Fields<Type> = { [Name in keyof Type]: Type[Name] };

/** The argument of a call by path, as in openapi-fetch. `params` is optional if no parameter is required. */
export type Init<Id extends OperationId> = ParamsOf<Sent<operations[Id]["parameters"]>> & BodyOf<operations[Id]>;

type ParamsOf<Params> = {} extends Params ? { params?: Params } : { params: Params };

type BodyOf<Operation> = Operation extends { requestBody: { content: { "application/json": infer Json } } }
  ? { body: Json }
  : Operation extends { requestBody?: { content: { "application/json": infer Json } } }
    ? { body?: Json }
    : unknown;

/** The locations that have parameters. openapi-typescript declares the other locations as `never`. */
type Sent<Params> = {
  [Place in keyof Params as [NonNullable<Params[Place]>] extends [never] ? never : Place]: Params[Place];
};

type Known<Params, Place extends keyof Params> = [NonNullable<Params[Place]>] extends [never]
  ? unknown
  : NonNullable<Params[Place]>;
