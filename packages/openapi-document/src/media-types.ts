/** Returns a well-formed media type without its parameters, in lower case. */
export function essenceOf(mediaType: string): string {
  return mediaType.split(";", 1)[0]!.trim().toLowerCase();
}

/** Returns whether a media type is JSON by name or by suffix (RFC 6839; WHATWG MIME Sniffing, section 4.6). */
export function isJson(essence: string): boolean {
  return essence === "application/json" || essence === "text/json" || essence.endsWith("+json");
}

/** Returns whether a media type is text that people read: `text/…`, XML and YAML. */
export function isText(essence: string): boolean {
  return (essence.startsWith("text/") && !isJson(essence)) || /[/+.-](?:xml|yaml)$/.test(essence);
}

/** Returns whether a media type is a sequence of items: events, JSON lines or a JSON text sequence. */
export function isSequential(essence: string): boolean {
  return essence === "text/event-stream" || isJsonSequence(essence) || JSON_LINES.has(essence);
}

/** Returns whether a media type is a JSON text sequence (RFC 7464; RFC 8091). */
export function isJsonSequence(essence: string): boolean {
  return essence === "application/json-seq" || essence.endsWith("+json-seq");
}

const JSON_LINES = new Set(["application/jsonl", "application/x-ndjson", "application/x-jsonlines"]);
