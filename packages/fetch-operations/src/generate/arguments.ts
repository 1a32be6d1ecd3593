import { typesOfSchema } from "../contract/schema-types.ts";
import { type OpenApiDocument, type OperationEntry, type ParameterObject, parameterNames } from "openapi-document";
import { type RequestBody, kindOf } from "./bodies.ts";

/** An argument of an operation's method that is a parameter. */
export interface Argument {
  /** The name in the input: the parameter's, or with its location before it if another argument has this name. */
  name: string;
  /** The name in the contract. */
  wire: string;
  in: Location;
  isRequired: boolean;
  /** The code that writes the value; undefined for the default of the location. */
  writer: { import: string; code: string } | undefined;
}

const DEFAULT_STYLES = { path: "simple", query: "form", header: "simple", cookie: "form" } as const;
const STYLES = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
};
type Location = keyof typeof STYLES;

function isLocation(location: string): location is Location {
  return Object.hasOwn(STYLES, location);
}

/** Returns the parameters of an operation as arguments, named by the rule of the README. */
export function argumentsOf(
  document: OpenApiDocument,
  { parameters, path }: OperationEntry,
  body: RequestBody | undefined,
  refuse: (problem: string) => never,
): Argument[] {
  const own = body === undefined || body.hasFields ? [] : ["body", ...(body.media.length > 1 ? ["contentType"] : [])];
  const shared = sharedNames(parameters, own);
  for (const name of parameterNames(path))
    if (!parameters.some((parameter) => parameter.in === "path" && parameter.name === name))
      refuse(`has {${name}} in its path, but no path parameter of this name.`);
  return parameters.map((parameter) => {
    const { name, in: location, required = false } = parameter;
    if (!isLocation(location))
      return refuse(`has the parameter "${name}" in ${JSON.stringify(location)}, which the client does not write.`);
    return {
      name: shared.has(name) ? `${location}.${name}` : name,
      wire: name,
      in: location,
      isRequired: required || location === "path",
      writer: writerOf(document, location, parameter, refuse),
    };
  });
}

/** Returns the names that several arguments would have, also after one of them has got its location before it. */
function sharedNames(parameters: ParameterObject[], others: string[]): Set<string> {
  const names = parameters.map(({ name }) => name);
  const shared = new Set(names.filter((name, index) => names.indexOf(name) !== index || others.includes(name)));
  for (const name of shared)
    for (const { in: location } of parameters.filter((parameter) => parameter.name === name))
      if (names.includes(`${location}.${name}`)) shared.add(`${location}.${name}`);
  return shared;
}

function writerOf(
  document: OpenApiDocument,
  location: Location,
  parameter: ParameterObject,
  refuse: (problem: string) => never,
): Argument["writer"] {
  const { name, content } = parameter;
  if (content !== undefined) {
    const [type = ""] = Object.keys(content);
    const kind = kindOf(type);
    if (kind === "text") return undefined;
    if (kind !== "json" && kind !== "any")
      refuse(`has the parameter "${name}" of ${type}. The client writes JSON and text in parameters.`);
    return { import: "jsonParameter", code: `jsonParameter("${location}")` };
  }
  const style = parameter.style ?? DEFAULT_STYLES[location];
  if (!STYLES[location].includes(style))
    refuse(`has the parameter "${name}" in ${location} with the style ${style}, which OpenAPI does not define there.`);
  const isExploded = parameter.explode ?? style === "form";
  const allowReserved = (parameter as { allowReserved?: boolean }).allowReserved === true && location === "query";
  const types = typesOfSchema(document, parameter.schema);
  const mayBeObject = types.has("object") || types.has("any");
  const mayBeArray = types.has("array") || types.has("any");
  const isDefault =
    !allowReserved &&
    !mayBeObject &&
    (location === "path" || location === "header" ? style === "simple" : isExploded || !mayBeArray) &&
    (style === DEFAULT_STYLES[location] || (location === "query" && !mayBeArray && style !== "deepObject"));
  if (isDefault) return undefined;
  const options = [JSON.stringify(style), String(isExploded), ...(allowReserved ? ["true"] : [])].join(", ");
  return { import: "styled", code: `styled(${options})` };
}
