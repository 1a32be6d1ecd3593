/** The pages of the site: which there are, where each is, and its name in the sidebar. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { isOfTemplate, repositoryFiles, root } from "@platform/test-support/clone";
import { type PublishedPackage, publishedPackages } from "@platform/test-support/published";
import type { DefaultTheme } from "vitepress";
import { type Section, tree } from "./tree.ts";

/** The folder of the generated pages, from the root. */
export const GENERATED = "apps/site/generated";
export const GENERATED_TITLE = "Entries of the packages";

/** Folders whose Markdown is not of the site. Folders that begin with a dot are none of it either. */
export const EXCLUDED = ["**/{data,dist,node_modules,template}/**", "packages/laboratory/peers/**"];

/** Returns the pages that the tree has to list. Changelogs are in the menu of versions instead. */
export function pagesOfTree(): string[] {
  return repositoryFiles("*.md").filter((file) => !/^\.|(^|\/)CHANGELOG\.md$/.test(file) && !isOfTemplate(file));
}

/** Returns the path of a page in the site, by its path from the root. A README is the page of its folder, as is the main entry of a package. */
export function sitePathOf(file: string): string {
  return file
    .replace(/(^|\/)README\.md$/, "$1index.md")
    .replace(`${GENERATED}/`, "reference/")
    .replace(/^(reference\/(?:@[^/]+\/)?(?!index\.md)[^/]+)\.md$/, "$1/index.md");
}

/** Returns the link to a page, by its path from the root. */
export function linkTo(file: string): string {
  return `/${sitePathOf(file).replace(/(^|\/)index\.md$|\.md$/, "$1")}`;
}

/** An entry of a published package. */
export interface Entry {
  /** As in an import, such as `express-operations/accept`. */
  name: string;
  /** The path of its source from the root. */
  source: string;
}

/** Returns the entries of the published packages, the libraries before the client that exports their types again. */
export function publishedEntries(): Map<string, Entry[]> {
  const packages = publishedPackages().filter((one) => "exports" in one); // one is a command alone
  const isProduct = ({ name }: { name: string }): boolean => name.startsWith("@petstore/");
  const sorted = packages.toSorted((one, other) => Number(isProduct(one)) - Number(isProduct(other)));
  return new Map(sorted.map((one) => [one.name, entriesOf(one)]));
}

function entriesOf({ name, folder, exports }: PublishedPackage): Entry[] {
  return Object.entries(exports)
    .filter(([, pattern]) => pattern.startsWith("./src/"))
    .flatMap(([entry, pattern]) =>
      globSync(posix.join(folder, pattern), { cwd: root }).map((file) => {
        const source = file.replaceAll("\\", "/");
        return { name: posix.join(name, entry.replace("*", posix.basename(source, ".ts"))), source };
      }),
    );
}

/** Returns the sidebar: the tree, and the generated pages at the end of the reference. */
export function sidebar(): DefaultTheme.SidebarItem[] {
  const packages = Array.from(publishedEntries(), ([text, entries]) => ({
    text,
    collapsed: true,
    items: entries.map(({ name }) => ({ text: name, link: linkTo(`${GENERATED}/${name}.md`) })),
  }));
  const generated = { text: GENERATED_TITLE, link: linkTo(`${GENERATED}/index.md`), collapsed: true, items: packages };
  return tree.map((section) => {
    const item = itemOf(section);
    return section.text === "Reference" ? { ...item, items: [...item.items!, generated] } : item;
  });
}

function itemOf({ text, pages }: Section, level = 0): DefaultTheme.SidebarItem {
  const items = pages.map((page) =>
    typeof page === "string" ? { text: headingOf(page), link: linkTo(page) } : itemOf(page, level + 1),
  );
  return { text, collapsed: level > 0, items };
}

function headingOf(page: string): string {
  const [, heading] = /^# (.*)$/m.exec(readFileSync(join(root, page), "utf8")) ?? [];
  if (heading === undefined) throw new Error(`${page} has no heading.`);
  return heading.replaceAll("`", "").replace(/^@openapi-operations\//, "");
}

/** Returns the menu of versions: of the contract and of each published package, with a link to the changelog, if it has one yet. */
export function versions(): DefaultTheme.NavItemWithLink[] {
  const [, contract] = /^ {2}version: (\S+)$/m.exec(readFileSync(join(root, "openapi/openapi.yaml"), "utf8")) ?? [];
  const packages = publishedPackages().map(({ name, folder }) => {
    const { version } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as { version: string };
    const page = ["CHANGELOG.md", "README.md"].find((each) => existsSync(join(root, folder, each)))!;
    return { text: `${name} ${version}`, link: linkTo(posix.join(folder, page)) };
  });
  return [{ text: `The contract ${contract}`, link: linkTo("openapi/CHANGELOG.md") }, ...packages];
}
