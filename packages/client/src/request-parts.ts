import type { RequestParts } from "./attempt.ts";
import type { Operation } from "./operation.ts";

/**
 * Puts each argument into its location in the request: path, query, header or body. An unknown argument is sent as well, so
 * that the service rejects it by name and no data is lost silently.
 */
export function requestPartsOf({ parameters, hasFields }: Operation, input: object = {}): RequestParts {
  const params: Required<RequestParts>["params"] = {};
  const fields: Record<string, unknown> = {};
  let body: unknown = hasFields ? fields : undefined;
  for (const [name, value] of Object.entries(input)) {
    const location = Object.hasOwn(parameters, name) ? parameters[name]! : hasFields ? "field" : "query";
    if (location === "body") body = value;
    else if (location === "field") fields[name] = value;
    else params[location] = { ...params[location], [name]: value as unknown };
  }
  return { params, body };
}
