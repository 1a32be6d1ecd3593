import type { operations } from "./generated/schema.ts";

/** The operationIds of the contract. */
export type OperationId = keyof operations;

/** The input of an operation: its parameters by place, and its body if it has one. */
export type OperationInput<Id extends OperationId> = InputOf<operations[Id]>;

/** The output of an operation: a union with one member for each declared status and its body. */
export type OperationOutput<Id extends OperationId> = OutputOf<operations[Id]>;

// Each type also compiles for a contract without operationIds, which has no members in `operations`.
type InputOf<Operation> = ParametersOf<Operation> & BodyOf<Operation>;

type ParametersOf<Operation> = Operation extends { parameters: infer Parameters } ? Parameters : unknown;

type OutputOf<Operation> = Operation extends { responses: infer Responses }
  ? { [Status in keyof Responses]: { status: Status; body: ContentOf<Responses[Status]> } }[keyof Responses]
  : never;

type BodyOf<Operation> = Operation extends { requestBody: infer Body }
  ? { body: ContentOf<Body> }
  : Operation extends { requestBody?: infer Body }
    ? { body?: ContentOf<Body> }
    : unknown;

type ContentOf<Message> = Message extends { content: infer Content } ? Content[keyof Content] : undefined;
