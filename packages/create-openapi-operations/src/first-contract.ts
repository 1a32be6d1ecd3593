import { readFileSync } from "node:fs";
import { parseDocument } from "yaml";
import type { Names } from "./names.ts";

/** The types of fields that the questions offer, each with its schema and an example. */
export const FIELD_TYPES = {
  text: { schema: { type: "string", minLength: 1, maxLength: 200 }, example: "A text" },
  integer: { schema: { type: "integer", minimum: 0, maximum: 1_000_000_000 }, example: 1 },
  number: { schema: { type: "number" }, example: 1.5 },
  boolean: { schema: { type: "boolean" }, example: true },
  date: { schema: { type: "string", format: "date", maxLength: 10 }, example: "2026-01-31" },
  time: { schema: { type: "string", format: "date-time", maxLength: 40 }, example: "2026-01-31T09:30:00Z" },
} as const;

export type FieldType = keyof typeof FIELD_TYPES;

/** A resource of a new contract: its name for one, such as `exhibit`, for several, and its fields by name. */
export interface FirstResource {
  one: string;
  many: string;
  fields: Record<string, FieldType>;
}

/** Parses fields such as `title:text year:integer`. Throws for a name or type that a contract cannot have. */
export function fieldsOf(text: string): Record<string, FieldType> {
  const fields: Record<string, FieldType> = {};
  for (const word of text.split(/[\s,]+/).filter((each) => each !== "")) {
    const [name = "", type = "text", ...rest] = word.split(":");
    if (!/^[a-z][A-Za-z0-9]{0,39}$/.test(name) || name === "id")
      throw new Error(
        `${JSON.stringify(name)} cannot be a field. Begin with a lower-case letter; "id" exists already.`,
      );
    if (!Object.hasOwn(FIELD_TYPES, type) || rest.length > 0)
      throw new Error(`${word} has no known type. Choose one of ${Object.keys(FIELD_TYPES).join(", ")}: title:text.`);
    if (Object.hasOwn(fields, name)) throw new Error(`The field ${name} is given twice.`);
    fields[name] = type as FieldType;
  }
  if (Object.keys(fields).length === 0) throw new Error("Give at least one field, such as title:text.");
  return fields;
}

// cspell:ignore aeiou
/** Returns the name of several: `exhibits`, `boxes`, `stories`. */
export function pluralOf(one: string): string {
  if (/[^aeiou]y$/.test(one)) return `${one.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(one) ? `${one}es` : `${one}s`;
}

/**
 * Returns a contract in YAML that lists, creates and gets a resource, and meets every house rule. In that of a file, the resource
 * and its fields take the place of exhibits and their names.
 */
export function firstContract({ name, title }: Names, { one, many, fields }: FirstResource): string {
  const text = readFileSync(new URL("../contract/first.yaml", import.meta.url), "utf8").replace(/^#.*\n/, "");
  const places = {
    exhibits: many,
    exhibit: one,
    Exhibits: capital(many),
    Exhibit: capital(one),
    Museum: title,
    museum: name,
  };
  const renamed = text.replaceAll(
    /exhibits|exhibit|Exhibits|Exhibit|Museum|museum/g,
    (word) => places[word as keyof typeof places],
  );
  const document = parseDocument(renamed);
  const ofFields = (part: "schema" | "example") =>
    Object.fromEntries(Object.entries(fields).map(([field, type]) => [field, FIELD_TYPES[type][part]]));
  const [schemas, example] = [ofFields("schema"), ofFields("example")];
  const saved = { id: 1, ...example };
  const required = Object.keys(fields);
  const set = (value: unknown, ...path: string[]) => document.setIn(path, document.createNode(value));
  const json = ["content", "application/json", "example"];
  set([saved], "paths", `/${many}`, "get", "responses", "200", ...json);
  set(example, "paths", `/${many}`, "post", "requestBody", ...json);
  set(saved, "paths", `/${many}`, "post", "responses", "201", ...json);
  set(saved, "paths", `/${many}/{${one}Id}`, "get", "responses", "200", ...json);
  const [ofNew, ofSaved] = [`New${capital(one)}`, capital(one)].map((schema) => ["components", "schemas", schema]);
  set(required, ...ofNew!, "required");
  set(schemas, ...ofNew!, "properties");
  set(["id", ...required], ...ofSaved!, "required");
  const id = document.getIn([...ofSaved!, "properties", "id"]);
  set({ id, ...schemas }, ...ofSaved!, "properties");
  return document.toString({ lineWidth: 0 });
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
