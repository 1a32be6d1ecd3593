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

/** Makes a project with the packed runtime, the clients that fetch-operations and hey-api generate, and the other clients. */
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
  for (const name of ["ky", "octokit", "openai", "openapi-fetch", "stripe"]) {
    symlinkSync(peerPath(name), join(folder, "node_modules", name));
    writeFileSync(join(folder, `peers/${name}.js`), `export * from "${name}"; export { default } from "${name}";`);
  }
  writeFileSync(join(folder, "peers/octokit.js"), 'export * from "octokit";');
  writeFileSync(join(folder, "peers/ky.js"), 'export { default } from "ky";');

  const sources = join(folder, "typescript");
  const contract = { document: document as never, placeOf: () => "" };
  writeFiles(await generatedFiles(contract, { contract: "", output: folder, name: "Bench" }), join(sources, "own"));
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(document));
  const args = ["-i", join(folder, "openapi.json"), "-o", join(sources, "hey"), "-c", "@hey-api/client-fetch"];
  execFileSync(peerPath(".bin/openapi-ts"), args, { cwd: folder, stdio: "ignore" });
  transpile(sources, folder);
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
      outputText.replaceAll(/(from ")(\.[^"]*?)(?:\.js)?"/g, (_, from: string, path: string) => {
        const isFolder = ts.sys.directoryExists(join(file, "..", path));
        return `${from}${path}${isFolder ? "/index" : ""}.js"`;
      }),
    );
  }
}
