/**
 * Returns the code and the message of an error body, or undefined for a body that is not an error of the contract. The body is
 * undefined if the response has none. The media type is passed for a body that arrives.
 */
export type ErrorFormat = (
  body: unknown,
  status: number,
  contentType?: string | null,
) => readonly [code: string, message: string] | undefined;

/** The format of a contract's error whose fields `code` and `message` are strings. */
export function errorFields(code: string, message: string): ErrorFormat {
  return (body) => {
    const { [code]: foundCode, [message]: foundMessage } = Object(body) as Record<string, unknown>;
    return typeof foundCode === "string" && typeof foundMessage === "string" ? [foundCode, foundMessage] : undefined;
  };
}
