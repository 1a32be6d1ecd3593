import type { Registration } from "@platform/storage/registration";

/** The registration of a resource: its handlers, and its tables if it has any. */
export interface Resource<AllHandlers, Tables = unknown> extends Registration<Tables> {
  handlers: AllHandlers;
}

/** The handlers of all resources in a union of registrations, by operationId. */
export type HandlersOf<AnyRegistration> = (
  AnyRegistration extends { handlers: infer Handlers } ? (handlers: Handlers) => void : never
) extends (handlers: infer All) => void
  ? All
  : never;

/** Returns the handlers of all registrations that are resources. */
export function handlersOf<AnyRegistration extends object>(
  registrations: readonly AnyRegistration[],
): HandlersOf<AnyRegistration> {
  const handlers = registrations.map((registration) => ("handlers" in registration ? registration.handlers : {}));
  return Object.assign({}, ...handlers) as HandlersOf<AnyRegistration>; // Object.assign returns any
}
