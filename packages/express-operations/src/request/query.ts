import type { OpenApiDocument, OperationEntry } from "openapi-document";
import { createProblem, unreadableParameter } from "../problem.ts";
import { type Pair, pairsReader, type ReadPairs } from "./pairs.ts";
import { queryOf } from "./values.ts";

/**
 * Returns the query parser of an operation. It rejects invalid percent-encoding and undeclared names. `credentials` are
 * the names of query parameters that carry API keys; undeclared ones are skipped.
 */
export function queryReader(
  document: OpenApiDocument,
  entry: OperationEntry,
  credentials: string[],
  ignoresOthers = false,
): (query: string) => ReadPairs {
  const read = pairsReader(
    document,
    entry.parameters.filter((parameter) => parameter.in === "query"),
    {
      decode: decodeFormText,
      unreadable: (name, fault, isDeclared) => unreadableParameter("query", name, fault, isDeclared),
      ignored: credentials,
      allowsAnyName: hasAllowUnknownExtension(entry),
      ignoresOthers,
    },
  );
  return (query) => {
    if (!isPercentEncoded(query))
      throw createProblem(400, "The query is not valid percent-encoding. Write a percent sign itself as %25.");
    return read(parsePairs(query));
  };
}

/** Splits `application/x-www-form-urlencoded` (WHATWG URL, section 5.1) into names, decoded, and values, still encoded. */
export function parsePairs(text: string): Pair[] {
  const pairs: Pair[] = [];
  for (const part of text.split("&")) {
    if (part === "") continue;
    const at = part.indexOf("=");
    pairs.push(at === -1 ? [decodeFormText(part), ""] : [decodeFormText(part.slice(0, at)), part.slice(at + 1)]);
  }
  return pairs;
}

/** Decodes a name or a value of `application/x-www-form-urlencoded`. Throws a URIError for invalid percent-encoding. */
export function decodeFormText(text: string): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  return spaced.includes("%") ? decodeURIComponent(spaced) : spaced;
}

/** Returns the value of a query parameter, or undefined unless the URL gives the parameter exactly once. */
export function queryValue(url: string, name: string): string | undefined {
  const query = queryOf(url);
  if (!isPercentEncoded(query)) return undefined;
  const values = parsePairs(query).filter(([own]) => own === name);
  return values.length === 1 ? decodeFormText(values[0]![1]) : undefined;
}

/** Returns whether a text is valid percent-encoding of UTF-8. */
export function isPercentEncoded(text: string): boolean {
  try {
    return !text.includes("%") || decodeURIComponent(text) !== ""; // bundlers remove a call whose result is unused
  } catch {
    return false;
  }
}

/** Returns whether an extension of express-openapi-validator allows undeclared query parameters. */
function hasAllowUnknownExtension({ operation }: OperationEntry): boolean {
  return (operation["x-eov-allow-unknown-query-parameters"] ?? operation["x-allow-unknown-query-parameters"]) === true;
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** Returns the text of bytes in UTF-8, without a byte order mark; undefined if the bytes are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return UTF_8.decode(bytes);
  } catch {
    return undefined;
  }
}
