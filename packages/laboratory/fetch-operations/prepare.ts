import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pack } from "@platform/test-support/pnpm";
import { generatedFiles } from "fetch-operations/generate";
import { peerPath } from "../measuring/install.ts";
import ts from "typescript-with-api";
import { writeFiles } from "./written-files.ts";

/** A small contract with one operation. */
const document = {
  openapi: "3.1.1",
  info: { title: "T", version: "1" },
  paths: {
    "/books/{id}": {
      get: {
        operationId: "getBook",
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "integer" } },
          { name: "q", in: "query", schema: { type: "string" } },
        ],
        responses: { 200: { description: "", content: { "application/json": { schema: { type: "object" } } } } },
      },
    },
  },
};

/** What orval's documentation has programs write, to name the service at run time. */
const ORVAL_FETCH = `export const connection: { baseUrl: string; fetch: typeof fetch } = { baseUrl: "", fetch };
export async function customFetch<Result>(url: string, options: RequestInit): Promise<Result> {
  const response = await connection.fetch(connection.baseUrl + url, options);
  const text = [204, 205, 304].includes(response.status) ? null : await response.text();
  return { data: text ? JSON.parse(text) : {}, status: response.status, headers: response.headers } as Result;
}
`;

/** Makes a project with the packed runtime, the clients that fetch-operations, hey-api and orval generate, and the other clients. */
export async function prepare(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  for (const name of ["fetch-operations", "openapi-document"]) {
    const target = join(folder, "node_modules", name);
    mkdirSync(target, { recursive: true });
    pack(join(import.meta.dirname, "../..", name), `${target}.tgz`);
    execFileSync("tar", ["xzf", `${target}.tgz`, "-C", target, "--strip-components", "1"]);
  }
  mkdirSync(join(folder, "peers"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "sideEffects": false }');
  for (const name of ["ky", "openapi-fetch"]) {
    symlinkSync(peerPath(name), join(folder, "node_modules", name));
    writeFileSync(join(folder, `peers/${name}.js`), `export { default } from "${name}";`);
  }

  const sources = join(folder, "typescript");
  const contract = { document: document as never, placeOf: () => "" };
  writeFiles(await generatedFiles(contract, { contract: "", output: folder, name: "Bench" }), join(sources, "own"));
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(document));
  const args = ["-i", join(folder, "openapi.json"), "-o", join(sources, "hey"), "-c", "@hey-api/client-fetch"];
  execFileSync(peerPath(".bin/openapi-ts"), args, { cwd: folder, stdio: "ignore" });
  mkdirSync(join(sources, "orval"));
  writeFileSync(join(sources, "orval/fetch.ts"), ORVAL_FETCH);
  const mutator = { path: join(sources, "orval/fetch.ts"), name: "customFetch" };
  const output = { target: join(sources, "orval/books.ts"), client: "fetch", override: { mutator } };
  const orval = { books: { input: join(folder, "openapi.json"), output } };
  writeFileSync(join(folder, "orval.config.mjs"), `export default ${JSON.stringify(orval)};`);
  execFileSync(peerPath(".bin/orval"), [], { cwd: folder, stdio: "ignore" });
  transpile(sources, folder);
}

/** Returns the number of lines with text in generated files, which are those of a folder or one file. */
export function linesOf(folder: string, generated: string): number {
  const path = join(folder, "typescript", generated);
  const files = ts.sys.fileExists(path) ? [path] : ts.sys.readDirectory(path, [".ts"]);
  return files.reduce((sum, file) => sum + readFileSync(file, "utf8").match(/^.*\S/gm)!.length, 0);
}

/** Writes the JavaScript of generated TypeScript, with the extensions that Node needs in imports. */
function transpile(sources: string, folder: string): void {
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  for (const file of ts.sys.readDirectory(sources, [".ts"])) {
    const { outputText } = ts.transpileModule(readFileSync(file, "utf8"), { compilerOptions: options });
    const target = join(folder, file.slice(sources.length).replace(/\.ts$/, ".js"));
    mkdirSync(join(target, ".."), { recursive: true });
    writeFileSync(
      target,
      outputText.replaceAll(/(from )["'](\.[^"']*?)(?:\.[jt]s)?["']/g, (_, from: string, path: string) => {
        const isFolder = ts.sys.directoryExists(join(file, "..", path));
        return `${from}"${path}${isFolder ? "/index" : ""}.js"`;
      }),
    );
  }
}
