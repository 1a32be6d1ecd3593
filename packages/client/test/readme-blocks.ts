import { readFileSync } from "node:fs";
import { join } from "node:path";

const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
const parts = Array.from(readme.matchAll(/^## (.*)$|^```ts\n([\s\S]*?)^```/gm), ([, heading, code]) => ({
  heading,
  code,
}));

/** The blocks of code with their headings. The first creates the client that all others use. */
const [first, ...others] = parts.flatMap(({ code }, index) => {
  const heading = parts.slice(0, index).findLast((part) => part.heading)?.heading;
  return code === undefined ? [] : [{ heading, code }];
});

const [rootExample] = /(?<=^```ts\n)[\s\S]*?(?=^```)/m.exec(
  readFileSync(join(import.meta.dirname, "../../../README.md"), "utf8"),
)!;

/** Each TypeScript block of this README and of the repository's README as a program, with its heading. */
export const readmePrograms = [
  first!,
  ...others.map(({ heading, code }) => ({ heading, code: first!.code + code })),
  { heading: "Use the client (README of the repository)", code: rootExample },
].map((program, index) => ({ ...program, name: `${index}.ts` }));
