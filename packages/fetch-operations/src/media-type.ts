/** Returns a media type without its parameters, in lower case. */
export function essenceOf(contentType: string | null): string {
  return (contentType ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

/** Whether a media type is JSON by name or by suffix, with parameters or not. */
export function isJson(contentType: string | null): boolean {
  return /[/+]json$/.test(essenceOf(contentType));
}
