import { type OpenApiDocument, type ParameterObject, type Schema } from "../document/document.ts";
import { areDeclared } from "../document/declared-names.ts";
import { effectiveSchema, isRecord, nonNullTypesOf, propertiesOf } from "../document/effective-schema.ts";
import type { Fault } from "../eov.ts";
import {
  createProblem,
  describe,
  escapeKey,
  invalidRequest,
  printable,
  type Problem,
  type RequestFault,
} from "../problem.ts";
import { predicateOf } from "./predicates.ts";

/** The longest field path in a message, in characters. */
const MAX_FIELD_PATH = 120;

/**
 * Returns the error response for the faults of a request. It reports the first fault of the parameters and the first
 * fault of the body, because validation stops at these.
 */
export function problemOfFaults(
  document: OpenApiDocument,
  parameters: ParameterObject[],
  faults: Fault[],
  sent: { rawHeaders?: string[] } = {},
): Problem {
  const parts = Object.values(Object.groupBy(faults, ({ location }) => (location === "body" ? "body" : "parameters")));
  const reported = parts.flatMap((part) => faultToReport(part) ?? []);
  const [first, ...others] = reported.map((fault) => requestFault(document, parameters, fault, sent));
  if (first === undefined) return createProblem(400, "The request does not match the API description.");
  return invalidRequest([first, ...others]);
}

function requestFault(
  document: OpenApiDocument,
  parameters: ParameterObject[],
  fault: Fault,
  sent: { rawHeaders?: string[] },
): RequestFault {
  const { location, keyword: code, path } = fault;
  const message = messageOf(document, parameters, fault, sent);
  const { pointer } = printablePath(fault);
  if (location === "body") return { in: "body", pointer, code, message };
  const parameter = declaredFor(fault, parameters)?.name ?? printable(path[0] ?? "");
  return { in: LOCATIONS[location], ...(parameter !== undefined && { parameter }), pointer, code, message };
}

/** Returns location, problem and remedy in plain English, at most a few hundred characters. */
function messageOf(
  document: OpenApiDocument,
  parameters: ParameterObject[],
  reported: Fault,
  sent: { rawHeaders?: string[] },
): string {
  const parameter = declaredFor(reported, parameters);
  const schema = { ...effectiveSchema(document, parameter?.schema), ...parameter } as Schema;
  const isList = schema.type === "array" || schema.type === "object";
  if (parameter !== undefined && !isList && isRepeatedHeader(parameter, sent))
    return `${describe("header", parameter.name, true)} must be given once.`;
  const explained = reported.path.length > 1 ? reported : withDescription(reported, schema);
  const sentence = `${subjectOf(document, reported, parameter)} ${predicateOf(explained)}.`;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1) + adviceFor(reported);
}

/** Returns advice for recognizable mistakes, or an empty text. */
function adviceFor({ keyword, path, location, params, value }: Fault): string {
  if (keyword !== "enum" || typeof value !== "string") return "";
  const texts = (params["allowedValues"] as unknown[]).filter((item) => typeof item === "string");
  if (location !== "body" && value.includes(","))
    return path.length > 1 ? " Repeat the parameter for each of several values." : " Only one may be given.";
  const differsInCase = texts.some(
    (item) => item.length === value.length && item.toLowerCase() === value.toLowerCase(),
  );
  return differsInCase ? " Upper and lower case differ." : "";
}

/**
 * Returns the fault to report. Validation stops at the first fault and lists the causes of that fault before it. The
 * causes of a failed choice are the faults of its members. If all members have the same kind of fault, these are
 * merged. If only one member has a fault other than a wrong type, that fault is reported.
 */
function faultToReport(faults: Fault[]): Fault | undefined {
  const fault = faults.at(-1);
  const parts = faults.slice(0, -1);
  if (fault?.keyword === "if" || fault?.keyword === "propertyNames") return faultToReport(parts) ?? fault;
  const isChoice = fault?.keyword === "anyOf" || fault?.keyword === "oneOf";
  if (!isChoice || fault.params["passingSchemas"]) return fault;
  const { remaining, constantFault } = selectByConstants(fault, parts);
  return constantFault ?? faultOfMembers(remaining) ?? fault;
}

/**
 * Ignores the members of a choice that a constant field of the value rules out. If the constant rules out all of them,
 * the constant is the fault.
 */
function selectByConstants(choice: Fault, parts: Fault[]): { remaining: Fault[]; constantFault?: Fault } {
  const { value } = choice;
  if (!isRecord(value)) return { remaining: parts };
  const names = new Set(parts.flatMap((part) => [...constantsIn(choice, part).keys()]));
  for (const name of names) {
    if (!Object.hasOwn(value, name)) continue;
    const constants = parts.map((part) => constantsIn(choice, part).get(name));
    const remaining = parts.filter((_, at) => constants[at]?.includes(value[name]) !== false);
    if (remaining.length === 0) {
      const allowedValues = [...new Set(constants.flat())];
      const path = [...choice.path, name];
      return {
        remaining,
        constantFault: { ...choice, keyword: "enum", path, params: { allowedValues }, schema: {}, value: value[name] },
      };
    }
    const isMeant = (part: Fault) => part.value !== value || constantsIn(choice, part).has(name);
    if (remaining.length < parts.length && remaining.every(isMeant)) return { remaining };
  }
  return { remaining: parts };
}

/**
 * Returns the constants, by field name, that a member of a choice requires, as far as the member's fault reveals them.
 */
function constantsIn(choice: Fault, part: Fault): Map<string, unknown[]> {
  const isOfField = part.path.length === choice.path.length + 1 && part.value !== choice.value;
  const fields = isOfField
    ? [[part.path.at(-1)!, part.schema] as const]
    : Object.entries(part.value === choice.value ? propertiesOf(part.schema) : {});
  return new Map(
    fields.flatMap(([name, schema]) => {
      if (!isRecord(schema)) return []; // `true` and `false` require no constants
      const constants = "const" in schema ? [schema["const"]] : (schema["enum"] as unknown[] | undefined);
      return constants === undefined ? [] : [[name, constants] as const];
    }),
  );
}

function faultOfMembers(parts: Fault[]): Fault | undefined {
  const [first] = parts;
  const isAlike = (part: Fault) => part.keyword === first?.keyword && part.path.join("/") === first.path.join("/");
  if (first === undefined) return undefined;
  if (parts.every(isAlike) && first.keyword === "type")
    return { ...first, params: { type: parts.flatMap(({ params }) => params["type"]) } };
  if (parts.every(isAlike) && (first.keyword === "enum" || first.keyword === "const")) {
    const allowedValues = parts.flatMap(({ params }) => params["allowedValues"] ?? [params["allowedValue"]]);
    return { ...first, keyword: "enum", params: { allowedValues: [...new Set(allowedValues)] } };
  }
  if (parts.every(isAlike) && first.keyword === "required") return first;
  const meant = parts.filter(({ keyword }) => !["type", "enum", "const"].includes(keyword));
  return meant.length === 1 ? meant[0] : undefined;
}

function withDescription(fault: Fault, { description }: Schema): Fault {
  return description === undefined ? fault : { ...fault, schema: { ...fault.schema, description } };
}

const LOCATIONS = { query: "query", params: "path", headers: "header", cookies: "cookie" } as const;

/** Returns the declaration of a faulty parameter. Names of headers are in lower case in faults. */
function declaredFor(
  { location, path: [name = ""] }: Fault,
  parameters: ParameterObject[],
): ParameterObject | undefined {
  if (location === "body") return undefined;
  const isNamed = (own: string) => (location === "headers" ? own.toLowerCase() === name : own === name);
  return parameters.find(({ in: declared, name: own }) => declared === LOCATIONS[location] && isNamed(own));
}

/** Returns whether a header is repeated. Node joins the values by commas. */
function isRepeatedHeader({ in: location, name }: ParameterObject, { rawHeaders = [] }: { rawHeaders?: string[] }) {
  const isIt = (text: string, at: number): boolean => at % 2 === 0 && text.toLowerCase() === name.toLowerCase();
  return location === "header" && rawHeaders.filter(isIt).length > 1;
}

function subjectOf(document: OpenApiDocument, fault: Fault, parameter: ParameterObject | undefined): string {
  const { location, path } = fault;
  const { known, isWhole } = printablePath(fault);
  if (location === "body") {
    const body = known === "" ? "the request body" : `body field ${JSON.stringify(known)}`;
    return isWhole ? body : `a field in ${body}`;
  }
  const [name = "", ...fields] = path;
  const whole = describe(LOCATIONS[location], parameter?.name ?? name, parameter !== undefined);
  if (fields.length === 0) return whole;
  const inner = whole.charAt(0).toLowerCase() + whole.slice(1);
  const types = nonNullTypesOf(document, parameter?.schema);
  const isItem = fields.length === 1 && /^\d+$/.test(fields[0]!) && (types.has("array") || !types.has("object"));
  if (isItem) return `item ${Number(fields[0]) + 1} of ${inner}`;
  return isWhole ? `field ${JSON.stringify(known)} of ${inner}` : `a field of ${inner}`;
}

/** Returns the path to a field, as text and as JSON pointer, as far as its names are printable and short. */
function printablePath({ location, path, context }: Fault): { known: string; pointer: string; isWhole: boolean } {
  const skipped = location === "body" ? 0 : 1; // the name of the parameter
  let declared: boolean[] | undefined;
  const isDeclared = (at: number): boolean => {
    declared ??= context ? areDeclared(context.document, context.schema, [location, ...path]) : [];
    return declared[at + 1] === true;
  };
  let known = "";
  let pointer = "";
  for (const [at, segment] of path.entries()) {
    if (at < skipped) continue;
    const name = printable(segment) ?? (isDeclared(at) ? printable(segment, true) : undefined);
    if (name === undefined || JSON.stringify(known + name).length > MAX_FIELD_PATH + 2)
      return { known, pointer, isWhole: false };
    known += known === "" ? name : `.${name}`;
    pointer += `/${escapeKey(name)}`;
  }
  return { known, pointer, isWhole: true };
}
