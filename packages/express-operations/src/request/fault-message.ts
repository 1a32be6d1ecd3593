import {
  type OpenApiDocument,
  type ParameterObject,
  type Schema,
  effectiveSchema,
  escapeKey,
  nonNullTypesOf,
} from "openapi-document";
import { areDeclared } from "./declared-names.ts";
import type { Fault } from "../eov/eov.ts";
import { createProblem, describe, invalidRequest, printable, type Problem, type RequestFault } from "../problem.ts";
import { meantFault } from "./meant-fault.ts";
import { predicateOf } from "./predicates.ts";

/** The longest field path in a message, in characters. */
const MAX_FIELD_PATH = 120;

/** The most faults that an error response reports. */
const MAX_FAULTS = 20;

/**
 * Returns the error response for the faults of a request. It reports the first fault of the parameters, the first fault of the
 * body, and then one fault of each other value in `others`.
 */
export function problemOfFaults(
  document: OpenApiDocument,
  parameters: ParameterObject[],
  faults: Fault[],
  sent: { rawHeaders?: string[] } = {},
  others: Fault[] = [],
): Problem {
  const parts = Object.values(Object.groupBy(faults, ({ location }) => (location === "body" ? "body" : "parameters")));
  const reported = parts.flatMap((part) => meantFault(part) ?? []);
  const all = [...reported, ...ofOtherValues(others, reported)].slice(0, MAX_FAULTS);
  const [first, ...further] = all.map((fault) => requestFault(document, parameters, fault, sent));
  if (first === undefined) return createProblem(400, "The request does not match the API description.");
  return invalidRequest([first, ...further]);
}

/** Keywords whose faults stand for the faults of the schemas below. */
const COMPOSED = new Set(["anyOf", "oneOf", "not", "contains", "propertyNames"]);

/** Returns one fault of each value that has no reported fault. */
function ofOtherValues(faults: Fault[], reported: Fault[]): Fault[] {
  const composed = faults.filter(({ keyword }) => COMPOSED.has(keyword)).slice(0, MAX_FAULTS);
  const taken = [...reported];
  for (const fault of faults) {
    if (taken.length >= MAX_FAULTS) break;
    if (fault.keyword === "if" || composed.some((whole) => whole !== fault && isWithin(fault, whole))) continue;
    const isTaken = taken.some(
      (known) => isWithin(known, fault) && (isWithin(fault, known) || COMPOSED.has(fault.keyword)),
    );
    if (!isTaken) taken.push(fault);
  }
  return taken.slice(reported.length);
}

/** Returns whether the value of a fault is that of another fault, or inside of it. */
function isWithin({ location, path }: Fault, whole: Fault): boolean {
  return location === whole.location && whole.path.every((name, at) => name === path[at]);
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
    return `${describe("header", parameter.name, true)} must be given only once.`;
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
  return differsInCase ? " Upper and lower case matter." : "";
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
  const { known, pointer, isWhole } = printablePath(fault);
  if (location === "body") {
    const body = pointer === "" ? "the request body" : `body field ${JSON.stringify(known)}`;
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
    known += pointer === "" ? name : `.${name}`;
    pointer += `/${escapeKey(name)}`;
  }
  return { known, pointer, isWhole: true };
}
