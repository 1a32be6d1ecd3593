import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A handler that is not written yet: its operation, and its file from the root of the repository. */
export interface Stub {
  id: string;
  file: string;
}

/** A line of a handler map that `scaffold` or `adopt` has written. */
const STUB = /^ +(?:([\w$]+)|"((?:[^"\\]|\\.)+)"): stub\(\),$/gm;

/** Returns the handlers of the service that are stubs, which respond with 501. */
export function stubsIn(root: string): Stub[] {
  const files = globSync("apps/server/src/resources/**/*.handlers.ts", { cwd: root }).toSorted();
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return Array.from(text.matchAll(STUB), ([, name, quoted]) => ({ id: name ?? quoted!, file }));
  });
}
