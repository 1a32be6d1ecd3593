import { dirname, join } from "node:path";
import ts from "typescript-with-api";
import { compile, figure, packageFile } from "../../../packages/express-operations/test/compile.ts";
import { githubTypes } from "../../../packages/express-operations/test/fixtures/github.ts";
import { handlerProgram } from "../../../packages/express-operations/test/handler-program.ts";
import { show, spreadOf } from "../measuring/figures.ts";
import { documentNamed } from "./documents.ts";

/** Where the completion is asked for. */
const TYPED = "input.";

/** Prints how long TypeScript takes for the handlers of GitHub's document. */
export function printTypes(rounds: number): void {
  const document = documentNamed("github");
  const program = handlerProgram(document, githubTypes);
  const times = Array.from({ length: rounds }, () => figure(compile(program), "Total time"));
  const edited = handlerProgram(document, githubTypes, {
    "repos/get": `(input) => { ${TYPED}; throw new Error(); }`,
  });
  const at = edited.indexOf(`{ ${TYPED};`) + 2 + TYPED.length;
  const completions = Array.from({ length: rounds }, () => firstCompletion(edited, at));
  console.log("\nSeconds of TypeScript for 1,223 typed handlers of GitHub's document");
  console.table({
    "compiler (7, one thread)": show(spreadOf(times)),
    "language service (5.9) to the first completion": show(spreadOf(completions)),
  });
}

/** Starts a language service, as an editor does, and asks it what may follow at a position. Returns the seconds. */
function firstCompletion(program: string, at: number): number {
  const started = performance.now();
  const directory = dirname(packageFile("tsconfig.json"));
  const file = join(directory, "test/in-an-editor.ts");
  const { config } = ts.readConfigFile(packageFile("tsconfig.json"), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, directory);
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => true,
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (path) => {
      const text = path === file ? program : ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => directory,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => path === file || ts.sys.fileExists(path),
  });
  const names = service.getCompletionsAtPosition(file, at, {})?.entries.map(({ name }) => name) ?? [];
  if (!names.includes("path")) throw new Error(`The completion is wrong: ${names.join(", ")}`);
  return (performance.now() - started) / 1_000;
}
