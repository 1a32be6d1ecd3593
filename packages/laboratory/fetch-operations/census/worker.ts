import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Config, type Contract, generatedFiles, loadContract, Refusal } from "fetch-operations/generate";
import { pathOf } from "../../documents/census.ts";
import { writeFiles } from "../written-files.ts";
import { callAll, type CallResult } from "./calls.ts";

/** The result of one document. */
export interface DocumentResult {
  name: string;
  /** The folder of the client. */
  folder: string;
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
  const result: DocumentResult = { name, folder, operations: 0, refused: [] };
  try {
    const contract = await loadContract(pathOf(name));
    const config = { contract: "", output: folder, name: "Census", importExtension: ".ts" as const };
    writeFiles(await acceptedFiles(contract, config, result.refused), folder);
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

/** Returns the files of a client without the operations that the generator refuses. Adds the reasons to `reasons`. */
async function acceptedFiles(contract: Contract, config: Config, reasons: string[]): Promise<Record<string, string>> {
  const operations: Record<string, false> = {};
  for (;;) {
    try {
      return await generatedFiles(contract, { ...config, operations });
    } catch (error) {
      if (!(error instanceof Refusal) || operations[error.operationId] === false) throw error;
      operations[error.operationId] = false;
      reasons.push(error.message);
    }
  }
}

async function operationsIn(folder: string): Promise<object | undefined> {
  const { operations } = (await import(pathToFileURL(join(folder, "operations.ts")).href)) as { operations?: object };
  return operations;
}

process.on("message", (task: Task) => void generate(task).then((result) => process.send!(result)));
