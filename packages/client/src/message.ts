import type { Message } from "./attempt.ts";
import type { Operation } from "./operation.ts";

/**
 * Sorts flat arguments into the places where the contract has them. What it does not know goes where the service will
 * refuse it by name, rather than being lost.
 */
export function messageOf({ parameters, hasFields }: Operation, input: object = {}): Message {
  const params: Required<Message>["params"] = {};
  const fields: Record<string, unknown> = {};
  let body: unknown = hasFields ? fields : undefined;
  for (const [name, value] of Object.entries(input)) {
    const place = Object.hasOwn(parameters, name) ? parameters[name]! : hasFields ? "field" : "query";
    if (place === "body") body = value;
    else if (place === "field") fields[name] = value;
    else params[place] = { ...params[place], [name]: value as unknown };
  }
  return { params, body };
}
