import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type OpenApiDocument, operationsOf } from "openapi-document";
import type { Diagnostic } from "./typecheck.ts";

/** Type errors with the same cause: the first, and the places that follow. */
export interface TypeErrors {
  first: Diagnostic;
  /** The other places, by file, the simplest error of each file first. */
  others: Map<string, Diagnostic[]>;
}

/** The kinds of code, in the order of a report. */
const KINDS = [
  "handlers",
  "service",
  "client uses",
  "storefront",
  "examples",
  "tests",
  "laboratory",
  "other code",
] as const;
type Kind = (typeof KINDS)[number];

/** The name of the client in an import. */
const CLIENT = /"@[\w.-]+\/client[/"]/;

/** The parts of messages that hold the name or the value that is missing, or that no longer exists. */
const NAMES = [
  /\bProperty '([\w$]+)' (?:is missing|does not exist)/,
  /\b(?:and|but) '([\w$]+)' does not exist in type/,
  /\bno exported member (?:named )?'([\w$]+)'/,
  /\bCannot find name '([\w$]+)'/,
  /'"([^"']+)"' (?:is not assignable|does not satisfy|have no overlap)/,
];

/** The line of a message above the reason why the types of a field differ. */
const DIFFERS = /^(?:Types of property|The types of) '([^']+)' are incompatible/;

/** A line of a message about what a function returns. The compiler reports such an error at the name of the function. */
const RETURNED = /^(?:The types returned by |Type '(?:Promise<|\(.* => ))/;

/** Errors that follow from an unknown type. */
const UNKNOWN = /^TS(?:2571|2578|7005|7006|7031|7053|18046|18047|18048|18049)$/;

/**
 * Groups type errors by cause. The first error of a cause is in the first kind of code, and the simplest there. An error about what a
 * handler returns comes after those in the code that makes the value.
 */
export function causesOf(diagnostics: Diagnostic[], root: string): TypeErrors[] {
  const kinds = new Map(diagnostics.map(({ file }) => [file, KINDS.indexOf(kindOf(file, root))]));
  const order = (each: Diagnostic): number[] => [
    kinds.get(each.file)!,
    Number(follows(each)),
    each.message.length,
    Number(isRegistration(each)),
  ];
  const sorted = diagnostics.toSorted((one, other) => compare(order(one), order(other)));
  const names = replacements(
    Map.groupBy(
      sorted.filter((each) => nameIn(each) !== undefined),
      (each) => nameIn(each)!,
    ),
  );
  const echoed = (each: Diagnostic): Diagnostic =>
    (isRegistration(each) && sorted.find((other) => !isRegistration(other) && hasSameReason(each, other))) || each;
  const nameOf = (diagnostic: Diagnostic): string | undefined => names.get(nameIn(diagnostic)!);
  const groups = Map.groupBy(sorted, (diagnostic) => {
    const inFile = (other: Diagnostic) => other.file === diagnostic.file && nameOf(other) !== undefined;
    return nameOf(follows(diagnostic) ? (sorted.find(inFile) ?? diagnostic) : diagnostic) ?? echoed(diagnostic);
  });
  const isSource = (each: Diagnostic) => kinds.get(each.file)! <= KINDS.indexOf("service") && !isAtFunction(each);
  return Array.from(groups.values(), (group) => {
    const first = group.find(isSource) ?? group[0]!;
    const others = group.filter((each) => each !== first);
    return { first: { ...first, ...placeOfField(first, root) }, others: Map.groupBy(others, ({ file }) => file) };
  });
}

/** Returns the kind of code of a file, by its path from the root and its imports. */
export function kindOf(file: string, root: string): Kind {
  if (/(?:^|\/)test(?:ing)?\//.test(file)) return "tests";
  if (file.startsWith("packages/laboratory/")) return "laboratory";
  if (/\/examples\//.test(file)) return "examples";
  if (file.startsWith("apps/storefront/")) return "storefront";
  if (/^apps\/server\/src\/(?:.*[/.])?(?:handlers|registrations)\.ts$/.test(file)) return "handlers";
  if (file.startsWith("apps/server/")) return "service";
  const path = join(root, file);
  const isClientUse =
    file.startsWith("packages/client/") || (existsSync(path) && CLIENT.test(readFileSync(path, "utf8")));
  return isClientUse ? "client uses" : "other code";
}

/** Returns whether an error only follows from another one in its file, if there is one. */
function follows({ code, message }: Diagnostic): boolean {
  return UNKNOWN.test(code) || /on type '(?:\{\}|never|unknown)'/.test(message[0]!);
}

/** Orders lists of numbers by the first that differs. */
function compare(one: number[], other: number[]): number {
  return one.map((value, index) => value - other[index]!).find((difference) => difference !== 0) ?? 0;
}

function nameIn({ message }: Diagnostic): string | undefined {
  const reason = message.at(-1)!;
  const named = NAMES.map((pattern) => pattern.exec(reason)?.[1]).find((name) => name !== undefined);
  const field = fieldIn(message);
  return named ?? (field && `${field}: ${reason}`);
}

/** Returns the path of the field whose types differ, such as `body.name`, by the message of the compiler. */
export function fieldOf(message: string[]): string | undefined {
  if (!/^Type '.*' is not assignable to type /.test(message.at(-1)!)) return undefined;
  const ofValue = message.slice(message.findLastIndex((line) => RETURNED.test(line)) + 1);
  return ofValue.flatMap((line) => DIFFERS.exec(line)?.[1] ?? []).join(".") || undefined;
}

/** The last name in the path of that field, as the code has it: in quotation marks unless it is an identifier. */
function fieldIn(message: string[]): string | undefined {
  return /("[^"]*"|[^.[\]]+)\]?$/.exec(fieldOf(message) ?? "")?.[1];
}

function isAtFunction({ message }: Diagnostic): boolean {
  return message.some((line) => RETURNED.test(line));
}

/** Maps each name to that of its cause: if one name replaces another, each error on the new one mentions the old one. */
function replacements(groups: Map<string, Diagnostic[]>): Map<string, string> {
  return new Map(
    Array.from(groups, ([name, group]) => {
      const old = [...groups.keys()].find((other) => other !== name && group.every((each) => mentions(each, other)));
      return [name, group.every(isMissing) ? (old ?? name) : name];
    }),
  );
}

/** The list of all handlers repeats each error in the type of one. */
function isRegistration({ file }: Diagnostic): boolean {
  return file.endsWith("/registrations.ts");
}

function hasSameReason({ message }: Diagnostic, other: Diagnostic): boolean {
  return message.at(-1) === other.message.at(-1);
}

function isMissing({ message }: Diagnostic): boolean {
  return / is missing in type /.test(message.at(-1)!);
}

function mentions({ message }: Diagnostic, name: string): boolean {
  return message.some((line) => line.split(/[^\w$]+/).includes(name));
}

/** The type of a response with one status. */
const RESPONSE_TYPE = /^Type '\{.*?\bstatus: (\d{3})\b/;

/** A response that does not fit the type of its operation: the status, and the operationId. */
const RESPONSE = /\bstatus: (\d{3})\b.* is not assignable to type 'ResponseOf<"([^"]+)"/;

/**
 * Returns a type error about a response with a status that its operation does not declare as an error that names the declared
 * ones, at the line of the status. Returns any other error as it is.
 */
export function withDeclaredStatuses(diagnostic: Diagnostic, document: OpenApiDocument, root: string): Diagnostic {
  const [, status = "", id] =
    diagnostic.message.map((line) => RESPONSE.exec(line)).find((match) => match !== null) ?? [];
  const declared = operationsOf(document).find((entry) => entry.id === id)?.operation.responses;
  if (declared === undefined || Object.hasOwn(declared, status) || Object.hasOwn(declared, `${status[0]}XX`))
    return diagnostic;
  const { default: other, ...own } = declared;
  const list = Object.keys(own).join(", ");
  const rest = other === undefined ? "" : ", and `default` for errors";
  const message = [`${id} returns status ${status}, which the contract does not declare. It declares ${list}${rest}.`];
  return { ...diagnostic, message, ...placeOf(status, diagnostic, root) };
}

/** The place of the status in the code of the handler. */
function placeOf(status: string, { file, line, column }: Diagnostic, root: string): Place {
  return placeIn(linesOf(file, root), `status: ${status}`, line - 1) ?? { line, column };
}

/** Returns the lines of a file; none if it is deleted since the compiler ran. */
function linesOf(file: string, root: string): string[] {
  const path = join(root, file);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
}

type Place = Pick<Diagnostic, "line" | "column">;

/** A line that does not end a function, however it is indented: an empty one, or the end of its parameters. */
const INNER = /^\s*(?:[)}].*(?:\{|=>)\s*)?$/;

/**
 * The place of the field that an error is about: in the response of the handler, or else the status of the response, or where a
 * repository names the column of the field.
 */
function placeOfField(diagnostic: Diagnostic, root: string): Place | undefined {
  const { file, line, message } = diagnostic;
  const lines = linesOf(file, root);
  const field = fieldIn(message);
  if (!isAtFunction(diagnostic)) return file.endsWith(".repository.ts") ? placeIn(lines, `${field}: "`) : undefined;
  const [indent] = /^\s*/.exec(lines[line - 1] ?? "")!;
  const deeper = new RegExp(`^${indent}\\s`);
  const end = lines.findIndex((text, index) => index >= line && !deeper.test(text) && !INNER.test(text));
  const body = lines.slice(0, end === -1 ? lines.length : end);
  const [, status] = message.map((text) => RESPONSE_TYPE.exec(text)).findLast((match) => match !== null) ?? [];
  const response = placeIn(body, `status: ${status}`, line - 1);
  const starts = field === undefined ? [] : [response?.line ?? line, line];
  return starts.map((start) => placeIn(body, `${field}: `, start - 1)).find((place) => place !== undefined) ?? response;
}

/** The first place of a string behind a space in lines, from the line with index `from` on. */
function placeIn(lines: string[], text: string, from = 0): Place | undefined {
  const at = lines.findIndex((line, index) => index >= from && line.includes(` ${text}`));
  return at === -1 ? undefined : { line: at + 1, column: lines[at]!.indexOf(` ${text}`) + 2 };
}
