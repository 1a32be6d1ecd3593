import { dirname, join } from "node:path";
import { languageService } from "@platform/test-support/language-service";
import { compile, figure, packageFile } from "../../../packages/express-operations/test/compile.ts";
import { githubTypes } from "../../../packages/express-operations/test/fixtures/github.ts";
import { handlerProgram } from "../../../packages/express-operations/test/handler-program.ts";
import { show, spreadOf } from "../measuring/figures.ts";
import { documentNamed } from "./documents.ts";

/** A handler in which an editor completes the fields of its input. */
const EDITED = "(input) => { input.";

/** Prints how long TypeScript takes for the handlers of GitHub's document. */
export function printTypes(rounds: number): void {
  const document = documentNamed("github");
  const program = handlerProgram(document, githubTypes);
  const edited = handlerProgram(document, githubTypes, { "repos/get": `${EDITED}; throw new Error(); }` });
  const times = Array.from({ length: rounds }, () => figure(compile(program), "Total time"));
  const completions = Array.from({ length: rounds }, () => secondsToComplete(edited));
  console.log("\nSeconds of TypeScript for 1,223 typed handlers of GitHub's document");
  console.table({
    "compiler (7, one thread)": show(spreadOf(times)),
    "language service (5.9) to the first completion": show(spreadOf(completions)),
  });
}

function secondsToComplete(program: string): number {
  const started = performance.now();
  const folder = dirname(packageFile("tsconfig.json"));
  const file = join(folder, "test/in-an-editor.ts");
  const at = program.indexOf(EDITED) + EDITED.length;
  const completions = languageService(folder, file, program).getCompletionsAtPosition(file, at, {});
  const names = completions?.entries.map(({ name }) => name) ?? [];
  if (!names.includes("path")) throw new Error(`The completion is wrong: ${names.join(", ")}`);
  return (performance.now() - started) / 1_000;
}
