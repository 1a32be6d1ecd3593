import { existsSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { needsPosix } from "@platform/test-support/machine";
import { describe, expect, test } from "vitest";
import { diagnosticsSection } from "../../src/dev/report.ts";
import { causesOf, kindOf, withDeclaredStatuses } from "../../src/dev/type-errors.ts";
import { type Diagnostic, typecheck } from "../../src/dev/typecheck.ts";
import { temporaryFolder } from "./started.ts";
import { linkCompiler, workspaceAt } from "./workspace.ts";

const MISSING = (name: string, other = "id") =>
  `Property '${name}' is missing in type '{ ${other}: number; }' but required in type 'Pet'.`;

/** Groups errors given as file, message and code. Each is at a line of its own. */
function causes(...errors: [file: string, message: string | string[], code?: string][]) {
  const diagnostics = errors.map(([file, message, code = "TS2339"], line) => {
    return { file, line, column: 1, code, message: [message].flat() };
  });
  return causesOf(diagnostics, "/nowhere").map(({ first, others }) => [
    first.line,
    Object.fromEntries(Array.from(others, ([file, places]) => [file, places.length])),
  ]);
}

describe("errors have the same cause if they name", () => {
  test.each<[string, string[]]>([
    ["the same property", ["Property 'a' does not exist on type 'B'.", "Property 'a' does not exist on type 'C'."]],
    [
      "a property in the innermost reason",
      ["Object literal may only specify known properties, and 'a' does not exist in type 'B'.", MISSING("a")],
    ],
    [
      "the same export",
      [`'"@petstore/contract"' has no exported member named 'Pet'. Did you mean 'Pets'?`, "Cannot find name 'Pet'."],
    ],
    [
      "the same value",
      [
        `Type '"sold"' is not assignable to type '"lost"'.`,
        `This comparison appears to be unintentional because the types '"lost"' and '"sold"' have no overlap.`,
      ],
    ],
    [
      "a property that does not exist, with a suggestion",
      [
        "Object literal may only specify known properties, but 'a' does not exist in type 'B'. Did you mean to write 'b'?",
        MISSING("a"),
      ],
    ],
    ["a name and its replacement", ["Property 'a' does not exist on type 'B'.", MISSING("b", "a")]],
  ])("%s", (_title, [one, other]) => {
    expect(causes(["a.ts", one!], ["b.ts", ["Outer.", other!]])).toEqual([[0, { "b.ts": 1 }]]);
  });
});

test("errors have different causes if they name different things, or nothing", () => {
  expect(causes(["a.ts", MISSING("a")], ["a.ts", MISSING("b")])).toEqual([
    [0, {}],
    [1, {}],
  ]);
  const types = "Type 'string' is not assignable to type 'number'.";
  expect(causes(["a.ts", types], ["a.ts", types])).toEqual([
    [0, {}],
    [1, {}],
  ]);
});

test("an unknown type follows from a name that its file lacks, and else is a cause", () => {
  const any = ["a.ts", "Parameter 'input' implicitly has an 'any' type.", "TS7006"] as const;
  const empty = ["a.ts", "Property 'id' does not exist on type '{}'."] as const;
  const isNull = ["b.ts", "'data' is possibly 'null'.", "TS18047"] as const;
  expect(causes([...any], [...empty], [...isNull], ["a.ts", MISSING("a")])).toEqual([
    [3, { "a.ts": 2 }],
    [2, {}],
  ]);
});

test("the first place of a cause is in handlers, and there the simplest error", () => {
  const handlers = "apps/server/src/resources/pets/pets.handlers.ts";
  const errors = ["apps/server/test/a.test.ts", "apps/server/src/a.ts", handlers, handlers].map(
    (file, index): [string, string[]] => [file, index === 2 ? ["Outer.", MISSING("a")] : [MISSING("a")]],
  );
  expect(causes(...errors)).toEqual([
    [3, { [handlers]: 1, "apps/server/src/a.ts": 1, "apps/server/test/a.test.ts": 1 }],
  ]);
});

test("code is labelled by its folder, and by its import of the client", () => {
  const root = temporaryFolder();
  writeFileSync(join(root, "uses.ts"), 'import "@petstore/client";');
  const kinds = {
    "apps/server/src/registrations.ts": "handlers",
    "apps/server/src/handlers.ts": "handlers",
    "apps/server/src/resources/pets/pets.handlers.ts": "handlers",
    "apps/server/src/resources/pets/pets.table.ts": "service",
    "apps/server/test/a.test.ts": "tests",
    "apps/server/testing/service.ts": "tests",
    "packages/laboratory/bench.ts": "laboratory",
    "apps/storefront/src/a.tsx": "storefront",
    "apps/storefront/test/a.test.ts": "tests",
    "packages/client/examples/a.ts": "examples",
    "packages/client/src/a.ts": "client uses",
    "uses.ts": "client uses",
    "packages/contract/src/index.ts": "other code",
  };
  expect(Object.fromEntries(Object.keys(kinds).map((file) => [file, kindOf(file, root)]))).toEqual(kinds);
});

test("an error in the list of all handlers repeats that of a handler", () => {
  const type = "Type 'number' is not assignable to type 'string'.";
  const all = "apps/server/src/registrations.ts";
  const handlers = "apps/server/src/resources/pets/pets.handlers.ts";
  expect(causes([all, ["Outer.", type]], [handlers, ["Outer.", type]])).toEqual([[1, { [all]: 1 }]]);
});

describe("an error about a response with a status", () => {
  const responses = { 200: {}, "4XX": {} };
  const documentWith = (all: object) => ({
    openapi: "3.1.1",
    info: { title: "a", version: "1" },
    paths: { "/pet": { get: { operationId: "getPet", responses: all } } },
  });
  const fault = (status: number) => ({
    file: "a.ts",
    line: 1,
    column: 7,
    code: "TS2322",
    message: [
      "Outer.",
      `Type '{ body?: never; status: ${status}; }' is not assignable to type 'ResponseOf<"getPet", 304, { content?: never; }>'.`,
      `Type '${status}' is not assignable to type '304'.`,
    ],
  });

  const described = (status: number, all: object) => {
    const root = temporaryFolder();
    writeFileSync(join(root, "a.ts"), "const a = {\n  getPet: () => ({ status: 204 }),\n};\n");
    return withDeclaredStatuses(fault(status), documentWith(all), root);
  };

  test("that is not declared names the declared ones, at the status", () => {
    expect(described(204, responses)).toMatchObject({
      message: ["getPet returns status 204, which the contract does not declare. It declares 200, 4XX."],
      line: 2,
      column: 20,
    });
    const [message] = described(201, { ...responses, default: {} }).message;
    expect(message).toMatch(/It declares 200, 4XX, and `default` for errors\.$/);
  });

  test("is where the compiler says if the file is gone", () => {
    expect(withDeclaredStatuses(fault(204), documentWith(responses), "/nowhere")).toMatchObject({ line: 1, column: 7 });
  });

  test.each([200, 404])("that is declared keeps its words: %i", (status) => {
    expect(described(status, responses)).toEqual(fault(status));
  });
});

const PACKAGES = ["packages/a", "packages/b"].map((folder) => ({ name: folder, folder, uses: [] }));

test("the compiler's diagnostics have their position and all their reasons", async () => {
  const { root, write, addPackage } = workspaceAt(temporaryFolder());
  linkCompiler(root);
  for (const { folder, name } of PACKAGES) {
    addPackage(folder, name, []);
    write(`${folder}/src/index.ts`, "export const a = 1;\n");
  }
  const diagnostics = (): Promise<Diagnostic[]> => typecheck(root, PACKAGES, new AbortController().signal);
  expect(await diagnostics()).toEqual([]);
  expect(existsSync(join(root, "packages/a/tsconfig.tsbuildinfo"))).toBe(true); // the state of unchanged files

  write(
    "packages/a/src/index.ts",
    "interface A { a: { b: number } }\nconst c = { a: { b: '1' } };\nexport const d: A = c;\n",
  );
  write("packages/b/src/index.ts", "export const a: 1 = 2;\n");
  utimesSync(join(root, "packages/a/src/index.ts"), 0, 0); // as if moved from elsewhere
  expect(await diagnostics()).toEqual([
    {
      file: "packages/a/src/index.ts",
      line: 3,
      column: 14,
      code: "TS2322",
      message: [
        "Type '{ a: { b: string; }; }' is not assignable to type 'A'.",
        "The types of 'a.b' are incompatible between these types.",
        "Type 'string' is not assignable to type 'number'.",
      ],
    },
    {
      file: "packages/b/src/index.ts",
      line: 1,
      column: 14,
      code: "TS2322",
      message: ["Type '2' is not assignable to type '1'."],
    },
  ]);

  rmSync(join(root, "packages/a/tsconfig.json"));
  await expect(diagnostics()).rejects.toThrow(/^error TS\d+: /);
});

describe("an error in what a handler returns is at", () => {
  const TYPES = `export interface Pet { id: number; name: string }
export type Response = { status: 200; body: Pet; headers?: { "X-Id": string } } | { status: 404; body: { code: string } };
export interface Handlers { getPet: { handler(input: { id: number }): Promise<Response> } }
`;
  const HANDLERS = (...statements: string[]) => `import { findPet } from "./pets.repository.ts";
import type { Handlers } from "./types.ts";

export const petsHandlers = {
  getPet: {
    async handler({ id }) {
      const pet = findPet(id);
      if (id === 0) return { status: 404, body: { code: "unknown" } };
${statements.map((each) => `      ${each}\n`).join("")}    },
  },
} satisfies Handlers;
`;
  const REPOSITORY = (value: string) => `import type { Pet } from "./types.ts";

const PET = {
  surname: "id",
  name: "name",
} as const;

const row = { id: 1, name: ${value}, columns: PET };

export const findPet = (id: number) => ({ ...row, id });

export function insertPet(): Pet {
  return row;
}
`;
  const DIFFERS = "name: Type 'number' is not assignable to type 'string'.";

  test.each<[place: string, reported: string, statements: string[], value?: string]>([
    [
      "the field",
      `handlers.ts:11:25  body.${DIFFERS}`,
      ["return {", "  status: 200,", "  body: { ...pet, name: 1 },", "};"],
    ],
    [
      "the field in the line",
      `handlers.ts:10:41  body.${DIFFERS}`,
      ["const other = { name: id };", "return { status: 200, body: { id, name: 1, other } };"],
    ],
    [
      "a variable",
      `handlers.ts:9:26  body.${DIFFERS}`,
      ["const body = { id, name: 1 };", "return { status: 200, body };"],
    ],
    [
      "a response without the field",
      "handlers.ts:9:16  Property 'name' is missing",
      ["return { status: 200, body: { id } };"],
    ],
    ["a column", `repository.ts:5:3  ${DIFFERS}`, ["return { status: 200, body: pet };"], "1"],
    ["a handler", `handlers.ts:6:11  body.${DIFFERS}`, ["return responseOf(1);"]],
  ])("%s", async (_place, reported, statements, value = '"Rex"') => {
    const handlers = `${HANDLERS(...statements)}const responseOf = (name: number) => ({ status: 200 as const, body: { id: 1, name } });\n`;
    expect(await firstError(handlers, REPOSITORY(value))).toContain(reported);
  });

  test.each<[place: string, reported: string, handler: string]>([
    [
      "the field in a function of one line",
      `4:57  body.${DIFFERS}`,
      "({ id }) => ({ status: 200, body: { id, name: 1 } })",
    ],
    ["the response in one, not in the next", `4:32  body.${DIFFERS}`, "({ id }) => ({ status: 200, body: find(id) })"],
    [
      "the field behind parameters of several lines",
      `7:39  body.${DIFFERS}`,
      "({\n    id,\n  }) => {\n    return { status: 200, body: { id, name: 1 } };\n  }",
    ],
    [
      "a field in quotation marks",
      `4:80  headers["X-Id"]: Type`,
      '({ id }) => ({ status: 200, body: { id, name: "" }, headers: { "X-Id": id } })',
    ],
  ])("%s", async (_place, reported, handler) => {
    const handlers = `import type { Response } from "./types.ts";

export const handlers = {
  getPet: async ${handler},
  findPet: async () => {
    return { status: 200, body: { id: 1, name: "Rex" } };
  },
} satisfies Record<string, (input: { id: number }) => Promise<Response>>;
const find = (id: number) => ({ id, name: id });
void find;
`;
    expect(await firstError(handlers, REPOSITORY('"Rex"'))).toContain(`handlers.ts:${reported}`);
  });

  /** Returns the first error that is reported for a server with this code. */
  async function firstError(handlers: string, repository: string): Promise<string> {
    const { root, write, addPackage } = workspaceAt(temporaryFolder());
    linkCompiler(root);
    addPackage("apps/server", "server", []);
    write("apps/server/src/types.ts", TYPES);
    write("apps/server/src/pets.repository.ts", repository);
    write("apps/server/src/pets.handlers.ts", handlers);
    const server = { name: "server", folder: "apps/server", uses: [] };
    const diagnostics = await typecheck(root, [server], new AbortController().signal);
    return diagnosticsSection(root, diagnostics, 1, 20).split("\n")[1]!;
  }
});

describe("the compiler", () => {
  const FAULT = 'console.log("a.ts(1,2): error TS3: Fault.");';
  const diagnosticsOf = (compiler: string): Promise<Diagnostic[]> => {
    const { root, write } = workspaceAt(temporaryFolder());
    write("node_modules/typescript/bin/tsc", compiler);
    return typecheck(root, PACKAGES, new AbortController().signal);
  };

  test("runs with the same environment and without garbage collection", async () => {
    const program = `const { GOGC, GOMEMLIMIT, PATH } = process.env;
      console.log("a.ts(1,2): error TS3: " + [GOGC, GOMEMLIMIT, PATH]);
      process.exitCode = 2;`;
    const message = [`off,2GiB,${process.env["PATH"]}`];
    expect(await diagnosticsOf(program)).toEqual([{ file: "a.ts", line: 1, column: 2, code: "TS3", message }]);
  });

  test.for([
    ["fails without a diagnostic", 'console.error("No memory."); process.exitCode = 1;', "No memory."],
    ["is killed after its first diagnostics", `${FAULT} process.kill(process.pid, "SIGKILL");`, "Command failed"],
  ] as const)("%s: typecheck rejects", async ([name, program, message], context) => {
    if (name.startsWith("is killed")) needsPosix(context, "signals in the result of a process");
    await expect(diagnosticsOf(program)).rejects.toThrow(message);
  });
});
