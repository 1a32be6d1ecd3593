import {
  type Callback,
  type OpenApiDocument,
  type OperationEntry,
  operationsOf,
  operationsOfItem,
  type Reference,
  resolve,
} from "./document.ts";

/** An operation of a callback, and where its URL comes from. */
export interface CallbackEntry extends OperationEntry {
  /** The operation whose requests the callback follows. */
  parent: OperationEntry;
  /** The key of the callback's path item: a runtime expression, or a text with some in braces. */
  expression: string;
}

/**
 * Returns the operations under `webhooks`. Their ids are the names of the webhooks; an operation of a webhook with
 * several methods has the id `POST newBooking`. Their operationIds are ignored, because types do not have them.
 */
export function webhooksOf(document: OpenApiDocument): OperationEntry[] {
  return Object.entries((document.webhooks ?? {}) as Items).flatMap(([name, item]) => named(document, name, item));
}

/**
 * Returns the operations of all callbacks. The id of one is that of its callback, as for webhooks. In a callback with
 * several expressions, the name is followed by a space and the expression.
 */
export function callbacksOf(document: OpenApiDocument): CallbackEntry[] {
  return operationsOf(document).flatMap((parent) =>
    Object.entries(parent.operation.callbacks ?? {}).flatMap(([name, reference]) => {
      const items = Object.entries(resolve<Callback>(document, reference)).filter(([key]) => !key.startsWith("x-"));
      return items.flatMap(([expression, item]) => {
        const own = items.length === 1 ? name : `${name} ${expression}`;
        return named(document, own, item).map((entry) => ({ ...entry, parent, expression }));
      });
    }),
  );
}

type Items = Record<string, Record<string, unknown> | Reference>;

function named(document: OpenApiDocument, name: string, item: Items[string]): OperationEntry[] {
  const entries = operationsOfItem(document, name, item);
  return entries.map((entry) => ({
    ...entry,
    id: entries.length === 1 ? name : `${entry.method.toUpperCase()} ${name}`,
  }));
}
