/** The input of an operation as openapi-typescript generates it: its parameters by place, and its body if it has one. */
export type InputOf<Operation> = ParametersOf<Operation> & BodyOf<Operation>;

/** The output of an operation: a union with one member for each declared status and its body. */
export type OutputOf<Operation> = Operation extends { responses: infer Responses }
  ? { [Status in keyof Responses]: { status: Status; body: ContentOf<Responses[Status]> } }[keyof Responses]
  : never;

type ParametersOf<Operation> = Operation extends { parameters: infer Parameters } ? Parameters : unknown;

type BodyOf<Operation> = Operation extends { requestBody: infer Body }
  ? { body: ContentOf<Body> }
  : Operation extends { requestBody?: infer Body }
    ? { body?: ContentOf<Body> }
    : unknown;

type ContentOf<Message> = Message extends { content: infer Content } ? Content[keyof Content] : undefined;
