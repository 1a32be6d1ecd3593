import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { root as repository } from "@petstore/repo-checks/clone";
import { expect, test } from "vitest";
import { smallCheckout } from "./small-checkout.ts";
import { operationOn, SMALL_CONTRACT } from "./small-contract.ts";

const HANDLERS = "apps/server/src/handlers.ts";
const THINGS = "apps/server/src/things/things.handlers.ts";
const OTHERS = "apps/server/src/others/others.handlers.ts";
const OTHERS_TEST = "apps/server/test/others/list-others.test.ts";

test("the stub of a handler and its test are written where they belong, once", () => {
  const { root, read, write } = smallCheckout();
  const path = join(repository, "node_modules/.bin") + delimiter + process.env["PATH"];
  const scaffold = (...words: string[]): [number | null, string] => {
    const program = join(root, "packages/dev/src/scaffold.ts");
    const options = { cwd: root, env: { ...process.env, PATH: path }, encoding: "utf8" } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], options);
    return [status, stdout + stderr];
  };
  const added = [operationOn("/all", "listAllThings", "Things"), operationOn("/others", "listOthers", "Others")];
  write("openapi/openapi.yaml", SMALL_CONTRACT.replace("\ncomponents:", `${added.join("")}\ncomponents:`));
  write(THINGS, "export const thingsHandlers = {\n  async listThings()    {},\n} satisfies Handlers<X>;\n");
  write(
    HANDLERS,
    'import { thingsHandlers } from "./things/things.handlers.ts";\n\n/** All. */\nexport const handlers = {\n  ...thingsHandlers,\n};\n',
  );

  expect(scaffold()).toEqual([
    1,
    "Name an operation of the contract: listThings, listAllThings, listOthers. A new one has to stand in openapi/openapi.yaml first.\n",
  ]);
  const testFile = "apps/server/test/things/list-all-things.test.ts";
  expect(scaffold("listAllThings")).toEqual([
    0,
    `wrote ${THINGS}\nwrote ${testFile}\nWrite listAllThings in ${THINGS} until ${testFile} passes.\n`,
  ]);
  expect(read(THINGS)).toBe(`export const thingsHandlers = {
  async listThings() {},

  async listAllThings(): Promise<never> {
    throw new Error("listAllThings is not written yet: its place is ${THINGS}.");
  },
} satisfies Handlers<X>;
`);
  expect(read(testFile)).toContain('await service.request("/all");');
  expect(scaffold("listAllThings")).toEqual([1, `listAllThings has a handler, in ${THINGS}. Nothing is written.\n`]);

  // A test that is there is kept, and a file that cannot be formatted is written as it is.
  write(OTHERS_TEST, "// Begun.\n");
  write(HANDLERS, `${read(HANDLERS)}}`);
  expect(scaffold("listOthers")).toEqual([
    0,
    `wrote ${OTHERS}\nwrote ${HANDLERS}\nWrite listOthers in ${OTHERS} until ${OTHERS_TEST} passes.\n`,
  ]);
  expect(read(OTHERS)).toMatch(
    /^export const othersHandlers = \{\n {2}async listOthers\(\): Promise<never> \{\n.*^\} satisfies Handlers</ms,
  );
  expect(read(HANDLERS)).toBe(`import { thingsHandlers } from "./things/things.handlers.ts";
import { othersHandlers } from "./others/others.handlers.ts";

/** All. */
export const handlers = {
  ...thingsHandlers,
  ...othersHandlers,
};
}`);
  expect(read(OTHERS_TEST)).toBe("// Begun.\n");
});
