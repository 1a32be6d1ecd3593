import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, posix, relative, resolve } from "node:path";
import {
  type Config,
  createConfig,
  getLineColLocation,
  isAbsoluteUrl,
  lint as lintFiles,
  loadConfig,
  type LocationObject,
  type NormalizedProblem,
  parseYaml,
  type Plugin,
  type Source,
  YamlParseError,
} from "@redocly/openapi-core";
import { closest, distance } from "fastest-levenshtein";
import { escapeKey, IS_MAP } from "openapi-document";
import { DEVICE_FLOW } from "../device-flow.ts";
import { FileResolver, keysOf, positionInJson, valueOf } from "../file-resolver.ts";
import { lintConfig, ROOT } from "../paths.ts";
import rules from "./lint-rules.ts";
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
  /** The JSON pointer of the place in its file, which stays the same when lines before it are added. */
  pointer?: string;
  /**
   * `fault`: the contract is invalid, so nothing can be generated. `style`: it breaks another rule. `warning`: it breaks a rule that
   * the configuration has at level `warn`, or a reference inside an extension leads nowhere.
   */
  kind: "fault" | "style" | "warning";
}

/**
 * Lints a contract with the rules of `redocly.yaml` beside it or in the root, or of another configuration, as files are now. Without
 * one, those of Redocly's `minimal` and of `platform/recommended` count. Returns one problem for each cause, faults first. The code
 * of rules is loaded once.
 */
export async function lint(contractPath: string, configPath = lintConfig(contractPath)): Promise<ContractProblem[]> {
  try {
    const config = await configAt(configPath);
    const externalRefResolver = new FileResolver(config.resolve);
    const root = await externalRefResolver.resolveDocument<{ swagger?: string } | null>(null, contractPath, true);
    if (!(root instanceof Error) && root.parsed?.swagger !== undefined)
      throw new Error(`This is Swagger ${root.parsed.swagger}. Convert it to OpenAPI 3.`); // hardly a rule applies to it
    const reported = await lintFiles({ ref: contractPath, config, externalRefResolver });
    const problems = causesOf(reported.filter(({ ignored }) => !ignored)).map(problemOf);
    return KINDS.flatMap((kind) => problems.filter((problem) => problem.kind === kind));
  } catch (error) {
    return [unreadable(error as Error, contractPath)];
  }
}

function configAt(path: string | undefined): Promise<Config> {
  if (path !== undefined) return loadConfig({ configPath: path, plugins: [DEVICE_FLOW] });
  return createConfig({ extends: ["minimal", "platform/recommended"] }, { plugins: [DEVICE_FLOW, rules() as Plugin] });
}

/** Returns the names of the rules that a contract is linted with; none if the configuration cannot be read, which is a problem of `lint`. */
export async function rulesFor(contractPath: string, configPath = lintConfig(contractPath)): Promise<string[]> {
  const config = await configAt(configPath).catch(() => undefined);
  if (config === undefined) return [];
  const names = Object.keys(config.rules.oas3_1);
  return names.filter((name) => config.getRuleSettings(name, "oas3_1").severity !== "off");
}

/** Returns the problems that `contract check` reports: all but the warnings. */
export async function contractProblems(contractPath: string, configPath?: string): Promise<ContractProblem[]> {
  return (await lint(contractPath, configPath)).filter(({ kind }) => kind !== "warning");
}

const KINDS = ["fault", "style", "warning"] as const;

function problemOf(problem: NormalizedProblem): ContractProblem {
  const { ruleId, severity, message, location } = problem;
  const at = location[0]!;
  if (message.startsWith("Failed to parse: ")) return syntaxError(at.source, message);
  const isLost = ruleId === "no-unresolved-refs";
  const isFault = isLost ? !isInExtension(at) : STRUCTURE_RULES.has(ruleId);
  const isWarning = severity === "warn" || (isLost && !isFault);
  return {
    ...placeOf(at),
    rule: ruleId,
    message: isLost ? unresolvedReference(at, message) : clearMessage(problem, at),
    kind: isWarning ? "warning" : isFault ? "fault" : "style",
  };
}

/** Whether a place is inside an extension (`x-…`), whose references only the tool that reads it knows. */
export function isInExtension({ pointer }: LocationObject): boolean {
  const keys = keysOf(pointer);
  return keys.some((key, index) => key.startsWith("x-") && !IS_MAP.has(keys[index - 1] ?? ""));
}

/** Returns the message of Redocly with what to do. */
function clearMessage({ ruleId, message, suggest: [suggestion] }: NormalizedProblem, at: LocationObject): string {
  const named = ruleId === "operation-operationId-unique" ? repeatedId(at) : undefined;
  if (named !== undefined) return named;
  const key = keysOf(at.pointer).at(-2);
  const remedy = REMEDIES.find(([pattern]) => pattern.test(`${key}: ${message}`))?.[1];
  if (remedy !== undefined) return `${message} ${remedy}`;
  return suggestion === undefined ? message : `${message} Did you mean \`${suggestion}\`?`;
}

/** What to do, by the key of the object and the message of Redocly. */
const REMEDIES: [RegExp, string][] = [
  [/Property `nullable` is not expected/, 'OpenAPI 3.1 has none. Add "null" to `type`.'],
  [/^responses: Property `.*` is not expected/, "Write a status such as 404, a range such as 4XX, or default."],
  [/Property `[1-5](?:\d\d|XX)` is not expected/, "Write it below `responses`."],
];

/** Returns the message on an operationId that is repeated: the operation of the same file that has it first. */
function repeatedId({ source, pointer }: LocationObject): string | undefined {
  const keys = keysOf(pointer);
  const paths = nodeAt(valueOf(source), ["paths"]) as Record<string, Record<string, { operationId?: unknown }>>;
  for (const [path, item] of Object.entries(paths ?? {}))
    for (const [method, operation] of Object.entries(item ?? {}))
      if (operation?.operationId === keys.at(-1) && (path !== keys[1] || method !== keys[2]))
        return `The operationId "${keys.at(-1)}" is that of ${method.toUpperCase()} ${path}. Choose another.`;
  return undefined;
}

/** Redocly throws instead of reporting if the contract itself, or the configuration, cannot be read. */
function unreadable(error: Error, contractPath: string): ContractProblem {
  if (error instanceof YamlParseError) return syntaxError(error.source, error.message);
  const file = relative(ROOT, resolve(contractPath));
  const isOther = /^(Document must be|Unsupported)/.test(error.message);
  const message = isOther
    ? "This is not an OpenAPI document. Begin it with `openapi: 3.1.1`."
    : error.message.startsWith("ENOENT")
      ? "There is no such file."
      : error.message;
  return { file, line: 1, column: 1, message, kind: "fault" };
}

/** The first syntax error of a file. */
function syntaxError({ absoluteRef, body }: Source, message: string): ContractProblem {
  return { file: relative(ROOT, absoluteRef), ...syntaxProblem(body, message), kind: "fault" };
}

function placeOf(at: LocationObject): Pick<ContractProblem, "file" | "line" | "column" | "pointer"> {
  const { line, col } = positionInJson(at) ?? getLineColLocation(at).start;
  const place = { file: relative(ROOT, at.source.absoluteRef), line, column: col };
  return at.pointer === undefined ? place : { ...place, pointer: at.pointer };
}

const REFERENCE_RULE = "platform/reference-fits";

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
  REFERENCE_RULE,
  "platform/servers-share-path",
]);

/** Returns the problems without those that only follow from another one. */
function causesOf(problems: NormalizedProblem[]): NormalizedProblem[] {
  const isBroken = problems.some(({ ruleId }) => ruleId === "struct" || ruleId === "no-unresolved-refs");
  // Each reference to a file with a syntax error is reported too.
  const failures = problems.flatMap(({ message }) => /^Failed to parse: (.*)$/s.exec(message)?.[1] ?? []);
  const misspelt = new Set(problems.flatMap(intendedAddresses));
  const misused = new Set(problems.filter(({ ruleId }) => ruleId === REFERENCE_RULE).map(targetAddress));
  const seen = new Set<string>();
  return problems.filter((problem) => {
    const { ruleId, message, location } = problem;
    if (failures.some((reason) => message === `Can't resolve $ref: ${reason}`)) return false;
    if (isBroken && (ruleId === "no-unused-components" || message.startsWith("Example validation errored:")))
      return false;
    if (missingAddresses(problem).some((place) => misspelt.has(place))) return false;
    // An object in the place of another kind lacks its fields, and has others.
    if (
      ruleId === "struct" &&
      location.some((at) => [addressOf(at), addressOf(at).replace(/\/[^/]*$/, "")].some((own) => misused.has(own)))
    )
      return false;
    const key = JSON.stringify([ruleId, message, location.map((at) => addressOf(at))]);
    return !seen.has(key) && seen.add(key);
  });
}

/** The place that a reference leads to. */
function targetAddress({ location: [at] }: NormalizedProblem): string {
  const [file = "", fragment = ""] = String(nodeAt(valueOf(at!.source), keysOf(at!.pointer))).split("#");
  const from = at!.source.absoluteRef;
  return `${file === "" ? from : resolve(dirname(from), file)}#${fragment}`;
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
  const node = pointer === undefined ? undefined : nodeAt(valueOf(source), keysOf(pointer));
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
  const keys = keysOf(fragment);
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

function nodeAt(document: unknown, keys: string[]): unknown {
  return keys.reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined | null)?.[key], document);
}
