import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "..");
const pages = ["README.md", ...globSync("docs/guides/*.md", { cwd: folder }).toSorted()];

/** The blocks of code with their page and heading. The first creates the client that all others use. */
const [first, ...others] = pages.flatMap((page) => {
  const text = readFileSync(join(folder, page), "utf8");
  const parts = Array.from(text.matchAll(/^##? (.*)$|^```ts\n([\s\S]*?)^```/gm), ([, heading, code]) => ({
    heading,
    code,
  }));
  return parts.flatMap(({ code }, index) => {
    const heading = `${page}: ${parts.slice(0, index).findLast((part) => part.heading)?.heading}`;
    return code === undefined ? [] : [{ heading, code }];
  });
});

const [rootExample] = /(?<=^```ts\n)[\s\S]*?(?=^```)/m.exec(
  readFileSync(join(import.meta.dirname, "../../../README.md"), "utf8"),
)!;

/** Each TypeScript block of this README, the guides and the repository's README as a program, with its heading. */
export const readmePrograms = [
  first!,
  ...others.map(({ heading, code }) => ({ heading, code: first!.code + code })),
  { heading: "Use the client (README of the repository)", code: rootExample },
].map((program, index) => ({ ...program, name: `${index}.ts` }));
