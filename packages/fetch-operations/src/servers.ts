/** Fills in the variables of a server's URL. A value of undefined is an error. */
export function fillServer(url: string, variables: Readonly<Record<string, string | undefined>>): string {
  return url.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = variables[name];
    if (value === undefined || !/^[\w.~:-]+(?:\/[\w.~:-]+)*$/.test(value))
      throw new TypeError(
        `The server variable "${name}" is ${JSON.stringify(value)}. Pass letters, digits and . _ ~ : - /`,
      );
    return value;
  });
}
