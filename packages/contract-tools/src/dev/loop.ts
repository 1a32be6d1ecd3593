import { join } from "node:path";
import { scriptCommand } from "@openapi-operations/command-line";
import { bundleWithFiles } from "openapi-contract/bundle";
import { lint } from "openapi-contract/lint";
import {
  changesSinceCommit,
  type Contract,
  pathFrom,
  GeneratedFiles,
  generateFrom,
  type Generation,
} from "./contract.ts";
import { affectedBy, isServedCode, type Package, withDependencies } from "./packages.ts";
import {
  changesSection,
  counted,
  diagnosticsSection,
  fixes,
  identityOf,
  problemsSection,
  remainingInContract,
  remainingStubs,
  section,
  stubCommand,
  styleSection,
  summarySection,
  typesSection,
} from "./report.ts";
import type { Save } from "./watch.ts";
import type { Service } from "./service.ts";
import { withDeclaredStatuses } from "./type-errors.ts";
import { type Diagnostic, typecheck, withoutDuplicates } from "./typecheck.ts";

/** The options of the loop. */
export interface LoopOptions {
  root: string;
  packages: Package[];
  service: Service;
  print: (section: string) => void;
  signal: AbortSignal;
}

const FIX_CONTRACT = "Fix the contract at these places. Nothing is generated until then.";

const START_FAILED = "Fix the error that keeps the service from starting.";

const COMMIT = `Run ${scriptCommand("contract check")} and the tests. Commit the contract and the generated files together.`;

const NOTHING_GENERATED: Generation = { written: [], derived: [], done: Promise.resolve() };

/** The longest time from a save until its type check can no longer be stopped by another save, in milliseconds. */
const STOPPABLE_MS = 5_000;

/** Runs the steps after a save and reports each: lint, compare, generate, typecheck, restart. */
export class Loop {
  readonly #options: LoopOptions;
  readonly #contractPath: string;
  /** The package of the service and its dependencies. */
  readonly #servedPackages: Package[];
  #diagnostics: Diagnostic[] = [];
  /** The contract of the last generation. Git may change it together with the generated files. */
  #contract: Contract | undefined;
  /** The problems of the first contract without faults. Its warnings are only counted, since it may be a foreign one. */
  #knownWarnings: ReadonlySet<string> | undefined;
  /** Whether the contract has had faults since. */
  #hasFaults = false;
  /** The files that the contract refers to, or has referred to since the start. They may be outside `openapi`. */
  readonly #contractFiles = new Set<string>();
  /** The generated document as a string. */
  #generated = "";
  readonly #generatedFiles: GeneratedFiles;
  /** The saved files whose report is not complete, because it was stopped or has failed. */
  readonly #unreported = new Set<string>();
  /** The time of the first save whose report was stopped; undefined if the last report was not. */
  #stoppedSince: number | undefined;
  /** Whether the code of the service has changed since it was started. */
  #isStale = true;
  /** Whether the contract has changed since the service was started. The service then waits until its code compiles. */
  #isContractNew = false;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#contractPath = join(options.root, "openapi/openapi.yaml");
    this.#servedPackages = withDependencies("apps/server", options.packages);
    this.#generatedFiles = new GeneratedFiles(options.root);
  }

  /** Whether a saved file is a generated one that the generators have left like this. */
  hasWritten(file: string): boolean {
    return this.#generatedFiles.isExpected(file);
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
    try {
      if (await this.#steps(since, stop)) this.#unreported.clear();
      else if (stop.aborted) this.#stoppedSince = since;
    } finally {
      this.#generatedFiles.isGenerating = false;
    }
  }

  /** Runs the steps. Resolves with false if the code was not checked: the contract has faults, or `stop` has aborted. */
  async #steps(at: number, stop: AbortSignal): Promise<boolean> {
    const { root, packages, print } = this.#options;
    let generation: Generation | undefined;
    const ofContract = [...this.#unreported].filter((file) => this.#isOfContract(file));
    if (ofContract.length > 0) {
      generation = await this.#generate(at);
      if (generation === undefined) {
        for (const file of ofContract) this.#unreported.delete(file);
        return false;
      }
    }
    const edited = generation === undefined ? this.#generatedFiles.edited(this.#unreported) : [];
    if (edited.length > 0) print(section("generated", `${edited.join(", ")}: edited by hand; generate overwrites it`));
    const affected = affectedBy(this.#unreported, packages);
    const isEarly = this.#isStale && !this.#isContractNew;
    const checked = this.#check(affected, stop, generation);
    const renewed = isEarly ? this.#renewService([], stop) : undefined; // beside the type check
    await Promise.allSettled([checked, renewed]); // the next report must not begin before both have ended
    const [diagnostics] = await Promise.all([checked, renewed]);
    if (diagnostics === undefined || stop.aborted) {
      print(section("stopped", "The next report includes these files."));
      return false;
    }
    if (affected.length > 0) print(diagnosticsSection(root, diagnostics, affected.length, performance.now() - at));
    if (!isEarly) await this.#renewService(diagnostics, stop);
    print(this.#summary(diagnostics.length === 0 ? "no errors" : counted(diagnostics.length, "error"), at));
    print(section("next", await this.#next(diagnostics)));
    return true;
  }

  #isOfContract(file: string): boolean {
    return /^openapi\/.*\.(?:ya?ml|json)$/.test(file) || this.#contractFiles.has(file);
  }

  /**
   * Compares the contract with the last commit, and generates from it. Adds the generated folder to the unreported files if its
   * content is new. If the contract has faults, reports them, changes nothing on disk, and resolves with undefined.
   */
  async #generate(at: number): Promise<Generation | undefined> {
    const { root, packages, print, signal } = this.#options;
    const problems = await lint(this.#contractPath);
    const faults = problems.filter(({ kind }) => kind === "fault");
    this.#hasFaults = faults.length > 0;
    if (this.#hasFaults) {
      print(problemsSection(faults));
      print(this.#serviceSection(`still runs the previous ${this.#isStale ? "code" : "contract"}`));
      print(this.#summary(counted(faults.length, "problem"), at));
      print(section("next", FIX_CONTRACT));
      return undefined;
    }
    const { document, files } = await bundleWithFiles(this.#contractPath);
    for (const file of files) this.#contractFiles.add(pathFrom(root, file));
    const changes = await changesSinceCommit(document, this.#contractPath);
    this.#contract = { document, changes, problems };
    print(changesSection(changes, performance.now() - at));
    this.#knownWarnings ??= new Set(problems.map(identityOf));
    if (problems.length > 0) print(styleSection(problems, this.#knownWarnings));
    const generated = JSON.stringify(document);
    const isForced = this.#generated === "" || this.#generatedFiles.edited(this.#unreported).length > 0;
    this.#generatedFiles.isGenerating = true;
    const { written, derived, done } = await generateFrom(document, root, packages, { signal, isForced });
    if (generated !== this.#generated) {
      this.#unreported.add("packages/contract/src/generated/");
      this.#isStale = true;
      this.#isContractNew ||= written.length > 0 || this.#generated !== "";
    }
    this.#generated = generated;
    const printed = done.then(() => {
      const others = this.#generatedFiles.renew().filter((file) => !file.startsWith("packages/contract/"));
      print(typesSection(written, others, performance.now() - at));
    });
    printed.catch(() => {}); // a caller that awaits it still gets the error
    return { written, derived, done: printed };
  }

  /**
   * Type-checks the affected packages and returns the diagnostics of all packages; undefined if it was stopped. Packages that
   * use no generated code but the contract's are checked while the other code is generated.
   */
  async #check(
    affected: Package[],
    stop: AbortSignal,
    { derived, done }: Generation = NOTHING_GENERATED,
  ): Promise<Diagnostic[] | undefined> {
    const { root, packages, signal } = this.#options;
    const later = affectedBy(
      derived.map(({ folder }) => `${folder}/`),
      packages,
    );
    const giveUp = AbortSignal.any([signal, stop]);
    const check = (isLater: boolean): Promise<Diagnostic[]> => {
      const checked = affected.filter((one) => later.includes(one) === isLater);
      return typecheck(root, checked, giveUp);
    };
    const checks = [check(false), done.then(() => check(true))];
    await Promise.allSettled(checks); // a failure must not leave a compiler behind that still writes its state
    if (stop.aborted && !signal.aborted) return undefined;
    const found = (await Promise.all(checks)).flat();
    const others = this.#diagnostics.filter(
      ({ file }) => !affected.some(({ folder }) => file.startsWith(`${folder}/`)),
    );
    const document = this.#contract?.document;
    const explained = document ? found.map((each) => withDeclaredStatuses(each, document, root)) : found;
    this.#diagnostics = withoutDuplicates([...others, ...explained]);
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
    const changes = this.#contract?.changes.length ?? 0;
    const valid = changes === 0 ? "no changes" : counted(changes, "change");
    const contract = this.#hasFaults ? "the contract is invalid" : valid;
    return summarySection(findings, contract, this.#serviceState(), performance.now() - at);
  }

  #serviceState(): string {
    if (this.#options.service.address === undefined) return "is not running";
    if (this.#isStale) return "runs the previous code";
    return this.#hasFaults ? "runs the previous contract" : "is up to date";
  }

  async #next(diagnostics: Diagnostic[]): Promise<string> {
    const { root } = this.#options;
    const hasErrors = diagnostics.length > 0;
    const [edited] = this.#generatedFiles.edited([]);
    const contract = this.#hasFaults ? undefined : this.#contract;
    const steps = [
      ...fixes(root, diagnostics, this.#contract),
      ...(this.#isStale && !hasErrors ? [START_FAILED] : []),
      ...(edited === undefined ? [] : [`Run ${scriptCommand("generate")} to undo the edit of ${edited}.`]),
      ...(this.#hasFaults ? ["Fix the contract. Nothing is generated until then."] : []),
      ...(contract === undefined ? [] : await remainingInContract(contract, this.#contractPath)),
      ...(this.#isStale || hasErrors ? [] : remainingStubs(root)),
      ...stubCommand(diagnostics, this.#contract),
    ];
    if (steps.length > 0) return steps.join(" ");
    return this.#contract === undefined || this.#contract.changes.length === 0 ? "Nothing to fix." : COMMIT;
  }
}
