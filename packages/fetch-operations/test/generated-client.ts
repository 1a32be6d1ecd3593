import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Call, OperationError, OperationDescription } from "../src/index.ts";
import type { Config } from "../src/generate/config.ts";
import { generatedFiles } from "../src/generate/generated-files.ts";
import { writeFiles } from "../src/generate/main.ts";

/** A client of any contract. The tests of types check the generated types. */
export interface AnyClient {
  [operation: string]: (input?: object, options?: object) => Call<AnyResult>;
}

/** The fields of all results. */
export interface AnyResult {
  ok: true;
  status: number;
  data: unknown;
  error?: unknown;
  contentType?: string;
  response: Response;
}

/** The modules of a generated client. */
export interface GeneratedClient extends Disposable {
  create: (options: object) => AnyClient & {
    paginate: Record<
      string,
      (input?: object) => AsyncIterable<unknown> & { pages: () => AsyncIterable<{ next: unknown }> }
    >;
    raw: Record<string, (input?: object, options?: object) => Promise<Response>>;
  };
  operations: Record<string, OperationDescription>;
  Error: new () => OperationError;
  folder: string;
}

/** Generates the client of a document in a folder of the package, so that it finds the runtime, and imports it. */
export async function generatedClient(document: object, config: Partial<Config> = {}): Promise<GeneratedClient> {
  const root = join(import.meta.dirname, "../.turbo/generated");
  mkdirSync(root, { recursive: true });
  const folder = mkdtempSync(join(root, "client-"));
  const contract = { document: document as never, placeOf: () => "contract.yaml" };
  const own: Config = { contract: "", output: folder, name: "Thing", importExtension: ".ts", ...config };
  await writeFiles(await generatedFiles(contract, own), folder);
  const load = (name: string) => import(pathToFileURL(join(folder, name)).href) as Promise<Record<string, never>>;
  const { createThing, ThingError } = await load("index.ts");
  const { operations } = await load("operations.ts");
  return {
    create: createThing!,
    operations: operations!,
    Error: ThingError!,
    folder,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

/** TypeScript 7. */
const compiler = join(import.meta.dirname, "../../../node_modules/typescript");

/** Returns the compiler's messages for a program in the folder of a client. */
export function compile({ folder }: GeneratedClient, program: string, typescript = compiler): string {
  writeFileSync(join(folder, "program.ts"), program);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
    noEmit: true,
    module: "nodenext",
    target: "es2022",
    lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
    types: [],
    allowImportingTsExtensions: true,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  return spawnSync(process.execPath, [join(typescript, "bin/tsc"), "-p", folder, "--pretty", "false"], {
    encoding: "utf8",
  }).stdout;
}
