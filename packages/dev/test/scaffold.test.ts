import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { root as repository } from "@platform/test-support/clone";
import { expect, test } from "vitest";
import { smallCheckout } from "./small-checkout.ts";
import { operationOn, SMALL_CONTRACT } from "./small-contract.ts";

const REGISTRATIONS = "apps/server/src/registrations.ts";
const THINGS = "apps/server/src/resources/things/things.handlers.ts";
const OTHERS = "apps/server/src/resources/others/others.handlers.ts";
const OTHERS_INDEX = "apps/server/src/resources/others/index.ts";
const OTHERS_TEST = "apps/server/test/others/list-others.test.ts";

const registrations = `import { things } from "./resources/things/index.ts";

/** All. */
const REGISTRATIONS = [things] as const;
`;

test("scaffold writes the stub of a handler and its test once, in the folders of its tag", () => {
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
  write("apps/server/src/resources/things/index.ts", "export const things = {};\n");
  write(REGISTRATIONS, registrations);

  expect(scaffold()).toEqual([
    2,
    expect.stringMatching(
      /^error: Name an operation of the contract: listThings, listAllThings, listOthers\. Add a new one to openapi\/openapi\.yaml first\.\n/,
    ),
  ]);
  const testFile = "apps/server/test/things/list-all-things.test.ts";
  expect(scaffold("listAllThings")).toEqual([
    0,
    `wrote ${THINGS}\nwrote ${testFile}\nWrite listAllThings in ${THINGS}. The test ${testFile} sends the example of the contract. Add the data that it needs.\n`,
  ]);
  expect(read(THINGS)).toBe(`import { stub } from "@platform/service/stub";
export const thingsHandlers = {
  async listThings() {},

  listAllThings: stub(),
} satisfies Handlers<X>;
`);
  expect(read(testFile)).toContain('await service.request("/all");');
  expect(scaffold("listAllThings")).toEqual([
    1,
    `listAllThings already has a handler in ${THINGS}. Nothing was written.\n`,
  ]);

  // An existing test is kept, and a file that cannot be formatted is written unformatted.
  write(OTHERS_TEST, "// Begun.\n");
  write(REGISTRATIONS, `${read(REGISTRATIONS)}}`);
  expect(scaffold("listOthers")).toEqual([
    0,
    `wrote ${OTHERS}\nwrote ${OTHERS_INDEX}\nwrote ${REGISTRATIONS}\nWrite listOthers in ${OTHERS}. The test ${OTHERS_TEST} sends the example of the contract. Add the data that it needs.\n`,
  ]);
  expect(read(OTHERS)).toMatch(
    /^export const othersHandlers = \{\n {2}listOthers: stub\(\),\n\} satisfies Handlers</ms,
  );
  expect(read(REGISTRATIONS)).toBe(`import { things } from "./resources/things/index.ts";
import { others } from "./resources/others/index.ts";

/** All. */
const REGISTRATIONS = [things, others] as const;
}`);
  expect(read(OTHERS_TEST)).toBe("// Begun.\n");
});
