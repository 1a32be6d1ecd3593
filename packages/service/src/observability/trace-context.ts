/** The position of a request in the caller's trace. */
export interface TraceContext {
  traceId: string;
  spanId: string;
  traceFlags: number;
}

/** Parses a `traceparent` header (W3C Trace Context, section 3.2). Returns undefined if it is malformed or missing. */
export function parseTraceparent(header: unknown): TraceContext | undefined {
  if (typeof header !== "string") return undefined;
  const [, version, traceId = "", spanId = "", flags = "", rest = ""] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header) ?? [];
  const isKnown = version === "00" ? rest === "" : version !== undefined && version !== "ff";
  if (!isKnown || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}
