/** A function that sends a request, as the `fetch` of the platform does. Its second argument overrides the request's own options. */
export type Fetch = (request: Request, init?: RequestInit) => Promise<Response>;

/**
 * Sends a request by a function of any kind. One that takes a request alone gets a copy with the overrides. Parts take both, which saves
 * a copy for each of them.
 */
export function sendBy(fetch: Fetch, request: Request, init?: RequestInit): Promise<Response> {
  const isDirect = init === undefined || fetch.length > 1 || fetch === globalThis.fetch;
  return isDirect ? fetch(request, init) : fetch(new Request(request, init), init);
}

/** The errors of a program's own functions inside of a `fetch`, which no retry can mend. */
export const programErrors = new WeakSet<object>();

/** Gives a response, and each clone of it, the URL of its request: without a credential, and where a constructed one has none. */
export function withUrl(response: Response, url: string): Response {
  const clone = response.clone.bind(response);
  return Object.defineProperties(response, { url: { value: url }, clone: { value: () => withUrl(clone(), url) } });
}
