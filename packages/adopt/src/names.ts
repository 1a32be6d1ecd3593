import { InvalidArgumentError } from "@platform/command-line";

/** The names of a service, derived from the one that the team chooses. */
export interface Names {
  /** The command and the scope of the packages, such as `my-shop`. */
  name: string;
  /** The name at the beginning of a sentence, such as `My shop`. */
  title: string;
  /** The name in types, such as `MyShop`. */
  pascal: string;
  /** The name of a variable, such as `myShop`. */
  camel: string;
  /** The beginning of settings, such as `MY_SHOP`. */
  upper: string;
  /** The beginning of metrics and of API keys, such as `my_shop`. */
  lower: string;
}

/** Names that packages of the platform have already. */
const TAKEN = new Set([
  "platform",
  "express-operations",
  "fetch-operations",
  "openapi-document",
  "petstore",
  "types",
  "node",
  "test",
  "start",
  "dev",
]);

/** Returns the names of a service. Throws for a name that cannot be a command and the scope of packages. */
export function namesOf(name: string): Names {
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name) || name.length > 40)
    throw new InvalidArgumentError(
      "It cannot name packages. Give lower-case letters, digits and single hyphens, such as museum.",
    );
  if (TAKEN.has(name)) throw new InvalidArgumentError("It is taken by the platform. Choose another.");
  const words = name.split("-");
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  const pascal = words.map(capital).join("");
  return {
    name,
    title: capital(words.join(" ")),
    pascal,
    camel: pascal.charAt(0).toLowerCase() + pascal.slice(1),
    upper: words.join("_").toUpperCase(),
    lower: words.join("_"),
  };
}

/** Returns a string with the names of the petstore replaced: in code, in settings and in sentences. */
export function renamed(text: string, { name, title, pascal, camel, upper, lower }: Names): string {
  return text
    .replaceAll(/PETSTORE(?=_|\b)/g, upper)
    .replaceAll(/(?<=[A-Za-z_])Petstore|Petstore(?=[A-Za-z_])/g, pascal)
    .replaceAll("Petstore", title)
    .replaceAll(/petstore(?=[A-Z])/g, camel)
    .replaceAll(/petstore(?=_)|\bpst(?=_(?:live|test)_)/g, lower)
    .replaceAll("petstore", name);
}
