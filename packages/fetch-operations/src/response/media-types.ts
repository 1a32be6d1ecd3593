import { type Reader, readText } from "./read-body.ts";
import { unreadable } from "../call/call-failure.ts";
import { essenceOf } from "../media-type.ts";

/** Returns a reader that takes the reader of the response's media type. With several, the result names the media type. */
export function mediaTypes(readers: Readonly<Record<string, Reader>>): Reader {
  const declared = Object.keys(readers);
  return async (exchange) => {
    const type = declaredType(declared, exchange.response.headers.get("Content-Type"));
    if (type === undefined)
      throw unreadable("has a media type that the contract does not declare", await readText(exchange));
    const data = await readers[type]!(exchange);
    if (declared.length > 1) exchange.contentType = type;
    return data;
  };
}

/** Returns the declared media type that covers the type of a response: the type itself, a range, or the only one declared. */
function declaredType(declared: readonly string[], contentType: string | null): string | undefined {
  const type = essenceOf(contentType);
  const suffix = /\+[^+]+$/.exec(type)?.[0] ?? "";
  const major = type.split("/", 1)[0]!;
  const ranges = [type, `${major}/*${suffix}`, `${major}/*`, "*/*"];
  const found = ranges.flatMap((range) => declared.find((key) => essenceOf(key) === range) ?? [])[0];
  return found ?? (declared.length === 1 ? declared[0] : undefined);
}
