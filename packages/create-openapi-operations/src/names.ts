import { InvalidArgumentError } from "@openapi-operations/command-line";
import { serviceNames } from "@openapi-operations/command-line/name";

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

/** The scripts of a created repository, beside which that of the service stands. */
const TAKEN = new Set(
  ["build", "contract", "dev", "generate", "mock", "scaffold", "start", "test", "typecheck"].concat(
    // The commands of pnpm, which take precedence over scripts.
    "access add audit bin bugs cache ci clean config create dedupe deploy deprecate docs doctor edit env exec fetch get help".split(
      " ",
    ),
    "import info init install licenses link list login logout ls outdated owner pack patch peers ping pkg pm profile prune".split(
      " ",
    ),
    "publish rebuild recursive remove repo root run runtime sbom search set setup show stage star stars stop store team token".split(
      " ",
    ),
    "uninstall unlink unpublish up update upgrade version view whoami why with".split(" "),
  ),
);

/** Returns the names of a service. Throws for a name that cannot be a command and the scope of packages. */
export function namesOf(name: string): Names {
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name) || name.length > 40)
    throw new InvalidArgumentError(
      `"${name}" cannot be a package name. Give a --name of lower-case letters, digits and single hyphens, such as museum.`,
    );
  if (TAKEN.has(name))
    throw new InvalidArgumentError(`"${name}" is already a script or a command of pnpm. Give another --name.`);
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  const pascal = name.split("-").map(capital).join("");
  const camel = pascal.charAt(0).toLowerCase() + pascal.slice(1);
  const { title, settingsPrefix, keyPrefix } = serviceNames({ name });
  return { name, title, pascal, camel, upper: settingsPrefix, lower: keyPrefix };
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
