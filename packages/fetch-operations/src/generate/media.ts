import { essenceOf, isJson, isJsonSequence } from "openapi-document";

/** How the client reads and writes a media type. */
export type MediaKind = "json" | "text" | "form" | "multipart" | "events" | "lines" | "sequence" | "binary" | "any";

/** Returns the kind of a media type. */
export function kindOf(mediaType: string): MediaKind {
  const type = essenceOf(mediaType);
  if (type === "text/event-stream") return "events";
  if (
    /^application\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines)$/.test(type) ||
    /^application\/(?:.*\+)?jsonl$/.test(type)
  )
    return "lines";
  if (isJsonSequence(type)) return "sequence";
  if (isJson(type)) return "json";
  if (type === "application/x-www-form-urlencoded") return "form";
  if (type === "multipart/form-data") return "multipart";
  if (type === "*/*" || type === "application/*") return "any";
  if (/^text\/|^application\/(?:.*\+)?(?:xml|yaml|x-yaml|javascript|graphql|sql)$|\+(?:xml|yaml)$/.test(type))
    return "text";
  return "binary";
}
