import type { OpenApiDocument, ParameterObject } from "openapi-document";
import { createProblem, unreadableParameter } from "../problem.ts";
import { fieldsReader } from "./form.ts";
import { parseJson } from "./json.ts";
import type { ReadPairs } from "./pairs.ts";
import { decodeFormText, isPercentEncoded, parsePairs } from "./query.ts";
import { isJsonContent } from "./style.ts";

/**
 * Returns the reader of a query that is one value (OpenAPI 3.2, `in: querystring`): a form, JSON or a text, by its media
 * type. The value has the name of the parameter.
 */
export function querystringReader(document: OpenApiDocument, parameter: ParameterObject): (query: string) => ReadPairs {
  const { name, content = {} } = parameter;
  const [mediaType = "", media = {}] = Object.entries(content)[0] ?? [];
  const readFields = fieldsReader(document, media, decodeFormText, (field, fault, isDeclared) =>
    unreadableParameter("query", field, fault, isDeclared),
  );
  const valueOf = (query: string): unknown => {
    if (mediaType === "application/x-www-form-urlencoded") return readFields(parsePairs(query));
    const text = decodeURIComponent(query);
    return isJsonContent(content) ? parseJson(text) : text;
  };
  return (query) => {
    if (!isPercentEncoded(query))
      throw createProblem(400, "The query is not valid percent-encoding. Write a percent sign itself as %25.");
    try {
      return { values: { [name]: valueOf(query) }, others: {} };
    } catch (error) {
      throw error instanceof SyntaxError ? unreadableParameter("query", name, error.message) : error;
    }
  };
}
