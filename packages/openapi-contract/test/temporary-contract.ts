import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { CONTRACT_FILE } from "../src/paths.ts";

/** Adds an optional parameter, which is an additive change. */
export const NEW_PARAMETER = [
  '        - $ref: "#/components/parameters/Cursor"\n',
  '        - $ref: "#/components/parameters/Cursor"\n        - name: sold\n          in: query\n          schema:\n            type: boolean\n',
] as const;
export const LESS_PER_PAGE = ["maximum: 100\n", "maximum: 50\n"] as const;

/** A copy of the contract in a temporary folder. */
export interface TemporaryContract {
  folder: string;
  contract: string;
  released: string;
  /** The version of the contract. */
  version: () => Promise<string>;
  /** Replaces a text of the contract, which has to be there. */
  edit: (change: readonly [text: string | RegExp, replacement: string]) => Promise<void>;
}

/** Copies the contract; the copy is removed after the test. */
export async function temporaryContract(): Promise<TemporaryContract> {
  const folder = await mkdtemp(join(tmpdir(), "contract-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const contract = join(folder, "openapi.yaml");
  await writeFile(contract, await readFile(CONTRACT_FILE, "utf8"));
  return {
    folder,
    contract,
    released: join(folder, "released"),
    version: async () => /^ +version: (.*)$/m.exec(await readFile(contract, "utf8"))![1]!,
    edit: async ([text, replacement]) => {
      const before = await readFile(contract, "utf8");
      const after = before.replace(text, replacement);
      expect(after).not.toBe(before);
      await writeFile(contract, after);
    },
  };
}
