/** Reads the body of a successful response. */
export type Reader = (context: ReadContext) => unknown;

/** The response that a reader reads, and its call. */
export interface ReadContext {
  operation: { readonly isNullable?: boolean; readonly isRetryable?: boolean };
  response: Response;
  /** The largest body in bytes. */
  limit: number;
  /** Sends the request again with additional headers, and resolves to its response. Its attempts have the limits of the call. */
  resend: (headers: Record<string, string>) => Promise<Response>;
  /** The signal of the attempt. */
  signal: AbortSignal;
  /** Returns the error of the contract for a failure of a stream. */
  fail: (cause: unknown) => Error;
  /** Keeps the signal of the call connected after the attempt, for a body that is read later. */
  hold: () => void;
}

/** Returns the declared media type that covers the type of a response: the type itself, a range, or the only one declared. */
export function declaredType(declared: readonly string[], contentType: string | null): string | undefined {
  const type = essenceOf(contentType);
  const suffix = /\+[^+]+$/.exec(type)?.[0] ?? "";
  const major = type.split("/", 1)[0]!;
  const ranges = [type, `${major}/*${suffix}`, `${major}/*`, "*/*"];
  const found = ranges.flatMap((range) => declared.find((key) => essenceOf(key) === range) ?? [])[0];
  return found ?? (declared.length === 1 ? declared[0] : undefined);
}

/** Returns a media type without its parameters, in lower case. */
export function essenceOf(contentType: string | null): string {
  return (contentType ?? "").split(";", 1)[0]!.trim().toLowerCase();
}
