import { join } from "node:path";
import type { ContractChange } from "@platform/contract-tools/comparison";
import { generateFrom } from "./contract.ts";
import { affectedBy, type Package } from "./packages.ts";
import {
  changesSection,
  counted,
  diagnosticsSection,
  problemsSection,
  section,
  summarySection,
  typesSection,
} from "./report.ts";
import type { Save } from "./saves.ts";
import type { Service } from "./service.ts";
import { type Diagnostic, typecheck } from "./typecheck.ts";

/** The options of the loop. */
export interface LoopOptions {
  root: string;
  packages: Package[];
  service: Service;
  print: (section: string) => void;
  signal: AbortSignal;
}

/** The longest time from a save until its type check can no longer be stopped by another save, in milliseconds. */
const STOPPABLE_MS = 5_000;

/** Runs the steps after a save and reports each: lint, generate, typecheck, restart. */
export class Loop {
  readonly #options: LoopOptions;
  /** The package of the service and its dependencies. */
  readonly #servedPackages: Package[];
  #diagnostics: Diagnostic[] = [];
  /** The contract of the last generation. Git may change it together with the generated files. */
  #document = "";
  #changes: ContractChange[] = [];
  /** The saved files whose report is not complete, because it was stopped or has failed. */
  #unreported = new Set<string>();
  /** The time of the first save whose report was stopped; undefined if the last report was not. */
  #stoppedSince: number | undefined;
  /** Whether the code of the service has changed since it was started. */
  #isStale = true;
  /** Whether the contract has changed since the service was started. The service then waits until its code compiles. */
  #isContractNew = false;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#servedPackages = withDependencies("apps/server", options.packages);
  }

  /**
   * Reports on a save: prints each section as soon as it is known, and at the end the next step. The next save stops a report;
   * its own report then includes the files of both.
   */
  async report({ files, isRestart, at, superseded }: Save): Promise<void> {
    for (const file of files) this.#unreported.add(file);
    const since = this.#stoppedSince ?? at;
    this.#stoppedSince = undefined;
    const stop = performance.now() - since < STOPPABLE_MS ? superseded : new AbortController().signal;
    if (isRestart || isServedCode(files, this.#servedPackages)) this.#isStale = true;
    if (await this.#steps(new Set(this.#unreported), since, stop)) this.#unreported = new Set();
    else if (stop.aborted) this.#stoppedSince = since;
  }

  /** Runs the steps. Resolves with false if the code was not checked: the contract has problems, or `stop` has aborted. */
  async #steps(changed: Set<string>, at: number, stop: AbortSignal): Promise<boolean> {
    const { root, packages, print, signal } = this.#options;
    let changes: Promise<ContractChange[]> | undefined;
    if ([...changed].some((file) => /^openapi\/.*\.ya?ml$/.test(file))) {
      const contract = join(root, "openapi/openapi.yaml");
      const generated = await generateFrom(root, contract, packages, signal);
      if ("problems" in generated) {
        print(problemsSection(generated.problems));
        print(this.#serviceSection("still runs the previous code"));
        print(this.#summary(counted(generated.problems.length, "problem"), at));
        print(section("next", "Fix the contract at these places. Nothing is generated until then."));
        return false;
      }
      const elapsed = performance.now() - at;
      if (generated.document !== this.#document) {
        changed.add("packages/contract/src/generated/");
        this.#isStale = true;
        this.#isContractNew ||= generated.written.length > 0 || this.#document !== "";
      }
      this.#document = generated.document;
      changes = generated.changes;
      print(typesSection(generated.written, elapsed));
    }
    const affected = affectedBy(changed, packages);
    const isEarly = this.#isStale && !this.#isContractNew;
    const renewed = isEarly ? this.#renewService([], stop) : undefined; // beside the type check
    const diagnostics = await this.#check(affected, stop).finally(() => renewed);
    if (diagnostics === undefined || stop.aborted) {
      print(section("stopped", "The next report includes these files."));
      return false;
    }
    if (changes !== undefined) {
      this.#changes = await changes;
      print(changesSection(this.#changes));
    }
    if (affected.length > 0) print(diagnosticsSection(root, diagnostics, affected.length, performance.now() - at));
    if (!isEarly) await this.#renewService(diagnostics, stop);
    print(this.#summary(diagnostics.length === 0 ? "no errors" : counted(diagnostics.length, "error"), at));
    print(section("next", this.#next(diagnostics)));
    return true;
  }

  /** Type-checks the affected packages and returns the diagnostics of all packages; undefined if it was stopped. */
  async #check(affected: Package[], stop: AbortSignal): Promise<Diagnostic[] | undefined> {
    const { root, signal } = this.#options;
    if (affected.length === 0) return this.#diagnostics;
    const found = await typecheck(root, affected, AbortSignal.any([signal, stop])).catch((error: unknown) => {
      if (stop.aborted && !signal.aborted) return undefined;
      throw error;
    });
    if (found === undefined) return undefined;
    const others = this.#diagnostics.filter(
      ({ file }) => !affected.some(({ folder }) => file.startsWith(`${folder}/`)),
    );
    this.#diagnostics = withoutDuplicates([...others, ...found]);
    return this.#diagnostics;
  }

  /** Replaces the running service if its code has changed and has none of the errors, and prints the result. */
  async #renewService(diagnostics: Diagnostic[], stop: AbortSignal): Promise<void> {
    const { service, print, signal } = this.#options;
    if (!this.#isStale) return print(this.#serviceSection("is unchanged"));
    if (isServedCode(new Set(diagnostics.map(({ file }) => file)), this.#servedPackages))
      return print(this.#serviceSection("still runs the previous code"));
    const previous = service.address;
    const giveUp = AbortSignal.any([signal, stop]);
    const address = await service.restart(giveUp);
    if (address === undefined) {
      const rest = previous === undefined ? "" : `; the previous code still runs at ${previous}`;
      if (!giveUp.aborted) print(section("service", `did not start, for the reason printed above${rest}`));
      return;
    }
    this.#isStale = this.#isContractNew = false;
    print(this.#serviceSection(previous === undefined ? "started" : "restarted"));
  }

  #serviceSection(state: string): string {
    const { address } = this.#options.service;
    return section("service", address === undefined ? "is not running" : `${state} at ${address}`);
  }

  #summary(findings: string, at: number): string {
    const code = this.#isStale ? "runs the previous code" : "is up to date";
    const service = this.#options.service.address === undefined ? "is not running" : code;
    return summarySection(findings, this.#changes.length, service, performance.now() - at);
  }

  #next(diagnostics: Diagnostic[]): string {
    if (diagnostics.length > 0) {
      const fix = `Fix the ${counted(diagnostics.length, "place")} above.`;
      const id = this.#operationWithoutHandler(diagnostics);
      return id === undefined ? fix : `${fix} To create a stub of the handler: npx -y pnpm@12.21.0 scaffold ${id}`;
    }
    if (this.#isStale) return "Fix the error that keeps the service from starting.";
    if (this.#changes.some(({ impact }) => impact === "breaking")) {
      return "This breaks existing clients. Add to the contract instead of changing it, or start a new major version.";
    }
    return this.#changes.length > 0
      ? "Run npx -y pnpm@12.21.0 contract check and the tests. Commit the contract and the generated files together."
      : "Nothing to fix.";
  }

  #operationWithoutHandler(diagnostics: Diagnostic[]): string | undefined {
    return diagnostics
      .filter(({ file }) => file.startsWith("apps/server/src/"))
      .flatMap(({ message }) => Array.from(message.join("\n").matchAll(/'(\w+)' is missing in type/g), ([, id]) => id!))
      .find((id) => this.#document.includes(`"operationId": "${id}"`));
  }
}

/** Removes duplicates, because the source of a package is checked again with every package that uses it. */
function withoutDuplicates(diagnostics: Diagnostic[]): Diagnostic[] {
  return [
    ...new Map(
      diagnostics.map((diagnostic) => [`${diagnostic.file}:${diagnostic.line}:${diagnostic.column}`, diagnostic]),
    ).values(),
  ];
}

/** Whether one of the files is code of the service or of its dependencies. */
function isServedCode(files: Set<string>, serving: Package[]): boolean {
  return [...files].some((file) => serving.some(({ folder }) => new RegExp(`^${folder}/(src|bin)/`).test(file)));
}

function withDependencies(folder: string, packages: Package[]): Package[] {
  const own = packages.find((one) => one.folder === folder);
  const used = packages.filter(({ name }) => own?.uses.includes(name));
  return own === undefined ? [] : [own, ...used.flatMap((one) => withDependencies(one.folder, packages))];
}
