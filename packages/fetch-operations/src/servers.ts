/**
 * Fills in the variables of a server's URL. A value of undefined is an error, as is a slash that would cut off the host of the
 * contract: `evil.example/x` in `https://{region}.example.com`.
 */
export function fillServer(url: string, variables: Readonly<Record<string, string | undefined>>): string {
  return url.replaceAll(/\{([^{}]+)\}/g, (variable, name: string, at: number) => {
    const value = variables[name];
    // A slash belongs to the path, or to a variable at the end of the host.
    const isInHost = !/^[^/]*:\/\/[^/]*\//.test(url.slice(0, at));
    const cutsHost = isInHost && /\//.test(value ?? "") && /^[^/]/.test(url.slice(at + variable.length));
    if (value === undefined || cutsHost || !/^(?!(?:.*\/)?\.{1,2}(?:\/|$))[\w.~:-]+(?:\/[\w.~:-]+)*$/.test(value))
      throw new TypeError(
        `The server variable "${name}" is ${JSON.stringify(value)}. Pass letters, digits and . _ ~ : - /`,
      );
    return value;
  });
}
