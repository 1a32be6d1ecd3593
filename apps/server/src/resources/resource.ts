import type { Registration } from "@platform/storage/registration";

/** What a group of operations brings: their handlers, and the tables behind them, if any. */
export interface Resource<AllHandlers, Tables = unknown> extends Registration<Tables> {
  handlers: AllHandlers;
}

/** The handlers of all the resources in a union of registrations, by their operationIds. */
export type HandlersOf<AnyRegistration> = (
  AnyRegistration extends { handlers: infer Handlers } ? (handlers: Handlers) => void : never
) extends (handlers: infer All) => void
  ? All
  : never;

/** The handlers of all registrations that are resources. */
export function handlersOf<AnyRegistration extends object>(
  registrations: readonly AnyRegistration[],
): HandlersOf<AnyRegistration> {
  const handlers = registrations.map((registration) => ("handlers" in registration ? registration.handlers : {}));
  return Object.assign({}, ...handlers) as HandlersOf<AnyRegistration>; // a list of types becomes their intersection
}
