import type { operations } from "./generated/schema.ts";

/** The operationIds of the contract. */
export type OperationId = keyof operations;

/** The input of an operation: its parameters by place, and its body if it has one. */
export type OperationInput<Id extends OperationId> = operations[Id]["parameters"] & BodyOf<operations[Id]>;

/** The output of an operation: a union with one member for each declared status and its body. */
export type OperationOutput<Id extends OperationId> = {
  [Status in keyof operations[Id]["responses"]]: {
    status: Status;
    body: ContentOf<operations[Id]["responses"][Status]>;
  };
}[keyof operations[Id]["responses"]];

type BodyOf<Operation> = Operation extends { requestBody: infer Body }
  ? { body: ContentOf<Body> }
  : Operation extends { requestBody?: infer Body }
    ? { body?: ContentOf<Body> }
    : unknown;

type ContentOf<Message> = Message extends { content: infer Content } ? Content[keyof Content] : undefined;
