import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, posix, relative, resolve } from "node:path";
import {
  getLineColLocation,
  isAbsoluteUrl,
  lint as lintFiles,
  loadConfig,
  type LocationObject,
  type NormalizedProblem,
  parseYaml,
  type Source,
  unescapePointerFragment,
  YamlParseError,
} from "@redocly/openapi-core";
import { closest, distance } from "fastest-levenshtein";
import { escapeKey } from "openapi-document";
import { LINT_CONFIG, ROOT } from "../paths.ts";
import { syntaxProblem } from "./syntax-errors.ts";

/** A problem of a contract and its place: the file relative to the root of the repository, line and column from 1. */
export interface ContractProblem {
  file: string;
  line: number;
  column: number;
  message: string;
  /** The lines around the place of a syntax error. */
  frame?: string[];
  /** The broken rule; absent if the file cannot be parsed. */
  rule?: string;
  /**
   * `fault`: the contract is invalid, so nothing can be generated. `style`: it breaks another rule. `warning`: it breaks a rule that
   * `openapi/redocly.yaml` has at level `warn`.
   */
  kind: "fault" | "style" | "warning";
}

/**
 * Lints a contract with the rules of `openapi/redocly.yaml`, or of another configuration, as files are now. Returns one problem
 * for each cause, faults first. The code of rules is loaded once.
 */
export async function lint(contractPath: string, configPath: string = LINT_CONFIG): Promise<ContractProblem[]> {
  try {
    const config = await loadConfig({ configPath });
    const reported = await lintFiles({ ref: contractPath, config });
    const problems = causesOf(reported.filter(({ ignored }) => !ignored)).map(problemOf);
    return KINDS.flatMap((kind) => problems.filter((problem) => problem.kind === kind));
  } catch (error) {
    return [unreadable(error as Error, contractPath)];
  }
}

/** Returns the problems that `contract check` reports: all but the warnings. */
export async function contractProblems(contractPath: string, configPath?: string): Promise<ContractProblem[]> {
  return (await lint(contractPath, configPath)).filter(({ kind }) => kind !== "warning");
}

const KINDS = ["fault", "style", "warning"] as const;

function problemOf({ ruleId, severity, message, suggest, location: [at] }: NormalizedProblem): ContractProblem {
  if (at !== undefined && message.startsWith("Failed to parse: ")) return syntaxError(at.source, message);
  const place = { ...placeOf(at!), rule: ruleId };
  if (severity === "warn") return { ...place, message: withSuggestion(message, suggest), kind: "warning" };
  if (ruleId === "no-unresolved-refs") return { ...place, message: unresolvedReference(at!, message), kind: "fault" };
  return { ...place, message: withSuggestion(message, suggest), kind: STRUCTURE_RULES.has(ruleId) ? "fault" : "style" };
}

function withSuggestion(message: string, [suggestion]: string[]): string {
  return suggestion === undefined ? message : `${message} Did you mean \`${suggestion}\`?`;
}

/** Redocly throws instead of reporting if the contract itself, or the configuration, cannot be read. */
function unreadable(error: Error, contractPath: string): ContractProblem {
  if (error instanceof YamlParseError) return syntaxError(error.source, error.message);
  const isOther = /^(Document must be|Unsupported)/.test(error.message);
  const message = isOther ? "This is not an OpenAPI document. Begin it with `openapi: 3.1.1`." : error.message;
  return { file: relative(ROOT, resolve(contractPath)), line: 1, column: 1, message, kind: "fault" };
}

/** The first syntax error of a file. */
function syntaxError({ absoluteRef, body }: Source, message: string): ContractProblem {
  return { file: relative(ROOT, absoluteRef), ...syntaxProblem(body, message), kind: "fault" };
}

function placeOf(at: LocationObject): { file: string; line: number; column: number } {
  const { start } = getLineColLocation(at);
  return { file: relative(ROOT, at.source.absoluteRef), line: start.line, column: start.col };
}

/** Rules of OpenAPI itself. Without them, a contract has no meaning or two, so nothing can be generated from it. All others are of style. */
const STRUCTURE_RULES = new Set([
  "struct",
  "no-unresolved-refs",
  "no-identical-paths",
  "no-enum-type-mismatch",
  "no-schema-type-mismatch",
  "no-server-variables-empty-enum",
  "no-undefined-server-variable",
  "operation-operationId-unique",
  "operation-parameters-unique",
  "path-declaration-must-exist",
  "path-not-include-query",
  "path-parameters-defined",
  "security-defined",
  "spec-components-invalid-map-name",
  "platform/pattern-is-valid",
  "platform/servers-share-path",
]);

/** Returns the problems without those that only follow from another one. */
function causesOf(problems: NormalizedProblem[]): NormalizedProblem[] {
  const isBroken = problems.some(({ ruleId }) => ruleId === "struct" || ruleId === "no-unresolved-refs");
  // Each reference to a file with a syntax error is reported too.
  const failures = problems.flatMap(({ message }) => /^Failed to parse: (.*)$/s.exec(message)?.[1] ?? []);
  const misspelt = new Set(problems.flatMap(intendedAddresses));
  const seen = new Set<string>();
  return problems.filter((problem) => {
    const { ruleId, message, location } = problem;
    if (failures.some((reason) => message === `Can't resolve $ref: ${reason}`)) return false;
    if (isBroken && (ruleId === "no-unused-components" || message.startsWith("Example validation errored:")))
      return false;
    if (missingAddresses(problem).some((place) => misspelt.has(place))) return false;
    const key = JSON.stringify([ruleId, message, location.map((at) => addressOf(at))]);
    return !seen.has(key) && seen.add(key);
  });
}

/** The place that a misspelt key would have, such as `operationID`. A rule that requires the key reports it as missing. */
function intendedAddresses({ ruleId, suggest, location: [at] }: NormalizedProblem): string[] {
  if (ruleId !== "struct" || at?.pointer === undefined) return [];
  const parent = at.pointer.slice(0, at.pointer.lastIndexOf("/"));
  return suggest.map((key) => `${at.source.absoluteRef}${parent}/${key}`);
}

function missingAddresses({ ruleId, message, location: [at] }: NormalizedProblem): string[] {
  if (at === undefined) return [];
  const [, key] = (ruleId === "struct" && /^The field `(.+)` must be present/.exec(message)) || [];
  return [key === undefined ? addressOf(at) : `${addressOf(at)}/${key}`];
}

function addressOf({ source, pointer, ...at }: NormalizedProblem["location"][number]): string {
  return source.absoluteRef + (pointer ?? JSON.stringify(at));
}

/** Names that differ more are not a misspelling of each other. */
const MAX_DISTANCE = 4;

/** Returns the message on a reference that leads nowhere: the reference, and the closest one that leads somewhere. */
export function unresolvedReference({ source, pointer }: LocationObject, message: string): string {
  const node = pointer === undefined ? undefined : nodeAt(parseYaml(source.body), keysOf(pointer));
  const reference = typeof node === "string" ? node : (node as { $ref?: unknown } | undefined)?.$ref;
  if (typeof reference !== "string") return message;
  const similar = similarReference(reference, source.absoluteRef);
  return `Can't resolve $ref "${reference}".${similar === undefined ? "" : ` Did you mean "${similar}"?`}`;
}

function similarReference(reference: string, from: string): string | undefined {
  const [file = "", fragment] = reference.split("#");
  if (isAbsoluteUrl(file) || isAbsoluteUrl(from)) return undefined;
  const path = file === "" ? from : resolve(dirname(from), file);
  if (!existsSync(path)) {
    const name = similarName(basename(path), existsSync(dirname(path)) ? readdirSync(dirname(path)) : []);
    return name && [posix.join(posix.dirname(file), name), ...(fragment === undefined ? [] : [fragment])].join("#");
  }
  const keys = keysOf(fragment ?? "");
  const document = parseYaml(readFileSync(path, "utf8"));
  const index = keys.findIndex((_key, at) => nodeAt(document, keys.slice(0, at + 1)) === undefined);
  const parent = nodeAt(document, keys.slice(0, index));
  const name = index === -1 ? undefined : similarName(keys[index]!, Object.keys(parent ?? {}));
  return name && `${file}#/${keys.with(index, name).map(escapeKey).join("/")}`;
}

function similarName(name: string, names: string[]): string | undefined {
  const best = names.length === 0 ? undefined : closest(name, names);
  return best !== undefined && distance(name, best) < MAX_DISTANCE ? best : undefined;
}

/** Returns the keys of a JSON pointer (RFC 6901), with or without `#`. */
export function keysOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((key) => unescapePointerFragment(key));
}

function nodeAt(document: unknown, keys: string[]): unknown {
  return keys.reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined | null)?.[key], document);
}
