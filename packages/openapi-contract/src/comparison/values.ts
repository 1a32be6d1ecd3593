import { isDeepStrictEqual } from "node:util";
import { compilePattern, isMultipleOf, type OpenApiDocument, typeOf } from "openapi-document";
import { appliesTo, type Keywords, keywordsOf, type SchemaNode } from "./alternatives.ts";
import { type Condition, isNote } from "./canonical.ts";

/** Whether something holds; undefined if the comparison cannot tell. */
type Answer = boolean | undefined;

/**
 * Returns whether schemas accept a value by all their keywords; undefined if the comparison cannot tell, as for formats and for
 * the fields of objects. A value that is sent as text may be of several types, such as `1`.
 */
export function accept(document: OpenApiDocument, keywords: Keywords, value: unknown, isText: boolean): Answer {
  const entries = Object.entries(keywords).filter(([keyword]) => !isNote(keyword));
  return all(
    entries.flatMap(([keyword, values]) => values.map((own) => satisfies(document, keyword, own, value, isText))),
  );
}

function satisfies(document: OpenApiDocument, keyword: string, own: unknown, value: unknown, isText: boolean): Answer {
  const of = (schema: SchemaNode) => accept(document, keywordsOf(document, schema), value, isText);
  switch (keyword) {
    case "type":
      return [own].flat().some((type) => isOfType(type as string, value, isText));
    case "enum":
      return (own as unknown[]).some((each) => isEqual(each, value, isText));
    case "const":
      return isEqual(own, value, isText);
    case "anyOf":
      return any((own as SchemaNode[]).map(of));
    case "oneOf":
      return exactlyOne((own as SchemaNode[]).map(of));
    case "not":
      return no(of(own as SchemaNode));
    case "if":
      return byCondition(own as Condition, of);
    case "readOnly":
    case "writeOnly":
    case "deprecated":
    case "default":
    case "discriminator":
    case "xml":
      return true;
    default:
      return isText ? undefined : satisfiesAssertion(keyword, own, value);
  }
}

function byCondition(condition: Condition, of: (schema: SchemaNode) => Answer): Answer {
  const holds = of(condition.if);
  const [then, otherwise] = [of(condition.yes), of(condition.no)];
  if (holds === undefined) return then === otherwise ? then : undefined;
  return holds ? then : otherwise;
}

function satisfiesAssertion(keyword: string, own: unknown, value: unknown): Answer {
  const type = typeOf(value) === "integer" ? "number" : typeOf(value);
  if (keyword === "format") return type === "string" || type === "number" ? undefined : true;
  if (!appliesTo(keyword, type)) return true;
  if (typeof value === "string") return satisfiesForText(keyword, own, value);
  if (typeof value === "number") return satisfiesForNumber(keyword, own as number, value);
  return undefined;
}

function satisfiesForText(keyword: string, own: unknown, value: string): Answer {
  if (keyword === "minLength") return Array.from(value).length >= (own as number);
  if (keyword === "maxLength") return Array.from(value).length <= (own as number);
  if (keyword !== "pattern") return undefined;
  try {
    return compilePattern(own as string).test(value);
  } catch {
    return undefined;
  }
}

function satisfiesForNumber(keyword: string, own: number, value: number): Answer {
  if (keyword === "minimum") return value >= own;
  if (keyword === "maximum") return value <= own;
  if (keyword === "exclusiveMinimum") return value > own;
  if (keyword === "exclusiveMaximum") return value < own;
  return keyword === "multipleOf" ? isMultipleOf(value, own) : undefined;
}

function isOfType(type: string, value: unknown, isText: boolean): boolean {
  if (isText) {
    const text = String(value);
    if (type === "boolean") return text === "true" || text === "false";
    if (type === "integer") return /^-?\d+$/.test(text);
    if (type === "number") return /^-?\d+(?:\.\d+)?$/.test(text);
    if (type === "string") return true;
  }
  const own = typeOf(value);
  return own === type || (own === "integer" && type === "number");
}

function isEqual(one: unknown, other: unknown, isText: boolean): boolean {
  const areScalars = [one, other].every((value) => typeof value !== "object");
  return isText && areScalars ? String(one) === String(other) : isDeepStrictEqual(one, other);
}

function all(answers: Answer[]): Answer {
  if (answers.includes(false)) return false;
  return answers.includes(undefined) ? undefined : true;
}

function any(answers: Answer[]): Answer {
  return no(all(answers.map(no)));
}

function no(answer: Answer): Answer {
  return answer === undefined ? undefined : !answer;
}

function exactlyOne(answers: Answer[]): Answer {
  const known = answers.filter((answer) => answer === true).length;
  if (known > 1) return false;
  return answers.includes(undefined) ? undefined : known === 1;
}
