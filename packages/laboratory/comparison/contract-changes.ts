import { OTHER_CHANGES } from "./other-changes.ts";
import { callback, contract, hook, json, type Json, object, OK, parameter } from "./parts.ts";
import { type Effect, SCHEMA_CHANGES, TEXT_CHANGES } from "./schema-changes.ts";

/** Two contracts, and whether a client of the earlier one may break with the later one. */
export interface ContractChange {
  kind: string;
  before: Json;
  after: Json;
  isBreaking: boolean;
}

/** The places of a schema, and whether clients send its values. */
const PLACES: [name: string, isSent: boolean, contractOf: (schema: unknown) => Json][] = [
  ["a field of a request", true, (schema) => contract({ requestBody: json(object({ x: schema })) })],
  [
    "a field of a response",
    false,
    (schema) => contract({ responses: { "200": { ...OK, ...json(object({ x: schema })) } } }),
  ],
  ["an item of a request", true, (schema) => contract({ requestBody: json({ type: "array", items: schema }) })],
  ["a field of a webhook", false, (schema) => hook({ requestBody: json(object({ x: schema })) })],
  [
    "a field of the reply to a callback",
    true,
    (schema) => callback({ responses: { "200": { ...OK, ...json(object({ x: schema })) } } }),
  ],
];

/** The places of a value that is sent as text. */
const TEXT_PLACES: [name: string, isSent: boolean, contractOf: (schema: unknown) => Json][] = [
  ...["query", "header", "cookie"].map((location): [string, boolean, (schema: unknown) => Json] => [
    `a ${location} parameter`,
    true,
    (schema) => parameter(location, schema),
  ]),
  [
    "a field of a form",
    true,
    (schema) => contract({ requestBody: json(object({ x: schema }), "application/x-www-form-urlencoded") }),
  ],
  [
    "a header of a response",
    false,
    (schema) => contract({ responses: { "200": { ...OK, headers: { X: { schema } } } } }),
  ],
];

const isBreakingFor = (isSent: boolean, effect: Effect) =>
  effect === "other" || effect === (isSent ? "narrower" : "wider");

const CHANGES_OF_SCHEMAS = [[SCHEMA_CHANGES, PLACES] as const, [TEXT_CHANGES, TEXT_PLACES] as const].flatMap(
  ([changes, places]) =>
    places.flatMap(([place, isSent, contractOf]) =>
      changes.map(([kind, before, after, effect]): ContractChange => ({
        kind: `${place}: ${kind}`,
        before: contractOf(before),
        after: contractOf(after),
        isBreaking: isBreakingFor(isSent, effect),
      })),
    ),
);

/** Every decidable single change. */
export const CONTRACT_CHANGES: ContractChange[] = [
  ...CHANGES_OF_SCHEMAS,
  ...OTHER_CHANGES.map(([isBreaking, kind, before, after]) => ({ kind, before, after, isBreaking })),
];
