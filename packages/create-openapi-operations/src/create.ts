import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { type Contract, readContract } from "./contract.ts";
import { contractFiles } from "./contract-files.ts";
import { fill } from "./fill.ts";
import { type ClientException, generateClient, generateContract } from "./generate.ts";
import { lintLevels, type UnmetRule } from "./lint-levels.ts";
import type { Names } from "./names.ts";
import { type Files, PRODUCT, REPOSITORY, readVersions, templateFiles, writeFiles } from "./project.ts";
import { commitAll, pnpm } from "./repository.ts";
import { vendorPlatform } from "./vendor.ts";
import { expectFreeName, fitWorkspace, joinWorkspace, oldNodeIn, type Workspace, workspaceAbove } from "./workspace.ts";

/** A created service, and what its team should know. */
export interface Created {
  contract: Contract;
  /** House rules that the contract does not meet yet. */
  unmet: UnmetRule[];
  /** Operations that the client lacks or names otherwise. */
  exceptions: ClientException[];
  /** The workspace that the service has joined. */
  workspace: Workspace | undefined;
  /** The version of the Node that the workspace has, if it is too old. */
  oldNode: string | undefined;
  /** The output of an install that failed. */
  failure: string | undefined;
  /** Whether there is a first commit, with which `dev` and `contract diff` compare. */
  isCommitted: boolean;
}

const LINT_CONFIG = "openapi/redocly.yaml";

/** How to create a service. */
export interface CreateOptions {
  /** Is called with each step when it begins. */
  report: (step: string) => void;
  /** A folder with the packed platform, or an empty one to pack it into. */
  packed?: string | undefined;
  /** Whether to install the packages. Default: true. */
  isInstalled?: boolean | undefined;
}

/** Creates the repository of a service in a folder. Each step is reported when it begins. */
export async function create(
  folder: string,
  names: Names,
  contractPath: string,
  { report, packed, isInstalled = true }: CreateOptions,
): Promise<Created> {
  report("Reading and checking the contract");
  const workspace = workspaceAbove(folder);
  if (workspace !== undefined) expectFreeName(workspace, names.name);
  const { files, contract, unmet } = await serviceFiles(names, contractPath, workspace);
  if (workspace !== undefined) fitWorkspace(files, workspace, folder);
  report("Writing the files");
  const exceptions = withoutRemains(folder, () => {
    writeFiles(folder, files);
    if (REPOSITORY !== undefined) report("Packing the platform");
    const overrides = vendorPlatform(folder, workspace?.root ?? folder, packed);
    report("Generating types, data and the client");
    generateContract(folder);
    const ids = contract.entries.map(({ id }) => id);
    const found = generateClient(folder, ids);
    if (found.length > 0) generateContract(folder); // the code samples have the client's names
    if (workspace !== undefined) joinWorkspace(workspace, folder, overrides);
    else if (Object.keys(overrides).length > 0)
      appendFileSync(join(folder, "pnpm-workspace.yaml"), `\n${stringify({ overrides })}`);
    return found;
  });
  let failure: string | undefined;
  if (isInstalled && workspace === undefined) {
    report("Installing the packages");
    failure = pnpm(folder, "install", "--no-frozen-lockfile"); // which writes the lockfile
  }
  const isCommitted = workspace === undefined && commitAll(folder);
  const oldNode = workspace && oldNodeIn(workspace.root);
  return { contract, unmet, exceptions, workspace, oldNode, failure, isCommitted };
}

/** Writes to a new or empty folder. If that fails, the folder is removed, so that the command can be repeated. */
function withoutRemains<Result>(folder: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Returns the files of a service for a contract, by path, without the generated ones. Throws if it cannot be served. */
export async function serviceFiles(
  names: Names,
  contractPath: string,
  workspace?: Workspace,
): Promise<Pick<Created, "contract" | "unmet"> & { files: Files }> {
  const ofContract = contractFiles(contractPath);
  const contract = await readContract(contractPath);
  const files = templateFiles();
  const rules = { path: join(PRODUCT, LINT_CONFIG), text: files.get(LINT_CONFIG)! };
  const { unmet, config } = await lintLevels(contractPath, rules);
  files.set(LINT_CONFIG, config);
  fill(files, names, contract, readVersions(), workspace);
  for (const [file, text] of ofContract) files.set(`openapi/${file}`, text);
  return { files, contract, unmet };
}

/** Writes a contract to a temporary folder while `work` reads it. */
export async function withTemporaryContract<Result>(
  text: string,
  work: (path: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "contract-"));
  try {
    writeFiles(folder, new Map([["openapi.yaml", text]]));
    return await work(join(folder, "openapi.yaml"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
