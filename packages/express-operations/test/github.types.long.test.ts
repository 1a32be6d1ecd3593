import { describe, expect, test } from "vitest";
import { operationsOf } from "openapi-document";
import { compile, figure } from "./compile.ts";
import { githubDocument, githubTypes as types } from "./fixtures/github.ts";
import { handlerProgram } from "./handler-program.ts";

/** The compiler's budget for a program of all handlers. It limits counts, because times depend on the machine. */
const BUDGET = { types: 95_000, instantiations: 330_000 };

const document = githubDocument();
const count = operationsOf(document).length;

describe("the types over GitHub's document", () => {
  test(`${count} handlers that return every declared response compile within the budget`, () => {
    const output = compile(handlerProgram(document, types));
    expect(output.match(/error TS.*/g)).toBeNull();
    const [time, memory] = [figure(output, "Check time"), Math.round(figure(output, "Memory used") / 1024)];
    const cost = { types: figure(output, "Types"), instantiations: figure(output, "Instantiations") };
    console.log(`${count} handlers checked in ${time} s, with ${memory} MB:`, cost);
    expect(cost.types).toBeLessThan(BUDGET.types);
    expect(cost.instantiations).toBeLessThan(BUDGET.instantiations);
  });

  test(
    "TypeScript 5.9 compiles them (its time beside the same handlers without types is printed)",
    { timeout: 600_000 },
    () => {
      const typed = handlerProgram(document, types);
      const untyped = typed
        .replace("import { implement, type OpenApiDocument }", "import type { OpenApiDocument }")
        .replace(
          "implement<operations>()",
          "declare function implement(options: { document: OpenApiDocument; handlers: Record<string, (input: any) => unknown> }): void;\nimplement",
        );
      const times = [typed, untyped].map((program) => {
        const outputs = Array.from({ length: 5 }, () => compile(program, "typescript-5.9"));
        for (const output of outputs) expect(output.match(/error TS.*/g)).toBeNull();
        return outputs.map((output) => figure(output, "Total time")).toSorted((a, b) => a - b)[2]!;
      });
      const ratio = (times[0]! / times[1]!).toFixed(2);
      console.log(`TypeScript 5.9: ${times[0]} s with types, ${times[1]} s without: ${ratio} (medians of 5)`);
    },
  );

  test("the error for a wrong handler names its operation and status", () => {
    const wrong = '(input) => { if (input.requestPath === "") throw new Error(); return { status: 200, body: 1 }; }';
    const output = compile(handlerProgram(document, types, { "repos/get": wrong }));
    expect(output.match(/error TS/g)).toHaveLength(1);
    expect(output).toMatch(/error TS2322: .* is not assignable to type 'HandlerOf<"repos\/get", operations/);
    expect(output).toContain('not assignable to type \'ResponseOf<"repos/get", 200,');
  });
});
