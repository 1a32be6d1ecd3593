import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { loadContract } from "../src/generate/contract-source.ts";
import { generatedFiles } from "../src/generate/generated-files.ts";
import { writeFiles } from "../src/generate/output.ts";
import { callAll, type CallResult } from "./calls.ts";
import { pathOf } from "./directory.ts";
import { leftOut } from "./left-out.ts";

/** The result of one document. */
export interface DocumentResult {
  name: string;
  /** The folder of the client. */
  folder: string;
  milliseconds: number;
  operations: number;
  /** Why the document does not generate. */
  error?: string;
  /** The operations that the generator refuses, which the client leaves out. */
  refused: string[];
  calls?: CallResult[] | undefined;
}

interface Task {
  name: string;
  folder: string;
  isCalled: boolean;
}

/** Generates the client of a document, without the operations that are refused. */
async function generate({ name, folder, isCalled }: Task): Promise<DocumentResult> {
  const start = performance.now();
  const result: DocumentResult = { name, folder, milliseconds: 0, operations: 0, refused: [] };
  try {
    const contract = await loadContract(pathOf(name));
    const config = { contract: "", output: folder, name: "Census", importExtension: ".ts" as const };
    const operations = leftOut(contract, config, result.refused);
    mkdirSync(folder, { recursive: true });
    await writeFiles(await generatedFiles(contract, { ...config, operations }), folder);
    result.milliseconds = performance.now() - start;
    result.operations = Object.keys((await operationsIn(folder)) ?? {}).length;
    if (isCalled)
      result.calls = await callAll(JSON.parse(await readFile(pathOf(name), "utf8")) as never, folder).catch(
        () => undefined, // express-operations does not start with this document
      );
  } catch (error) {
    result.error = (error as Error).message.slice(0, 300);
  }
  return result;
}

async function operationsIn(folder: string): Promise<object | undefined> {
  const { operations } = (await import(pathToFileURL(join(folder, "operations.ts")).href)) as { operations?: object };
  return operations;
}

process.on("message", (task: Task) => void generate(task).then((result) => process.send!(result)));
