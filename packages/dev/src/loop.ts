import { join } from "node:path";
import { bundle } from "@platform/contract-tools/bundle";
import { lint } from "@platform/contract-tools/lint";
import { operationsOf } from "express-operations/reading";
import { changesSinceCommit, type Contract, filesOf, generateFrom, type Generation } from "./contract.ts";
import { affectedBy, type Package } from "./packages.ts";
import { remainingInContract, remainingStubs } from "./remaining.ts";
import {
  changesSection,
  counted,
  diagnosticsSection,
  problemsSection,
  section,
  styleSection,
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

const FIX_CONTRACT = "Fix the contract at these places. Nothing is generated until then.";

const NOTHING_GENERATED: Generation = { written: [], derived: [], done: Promise.resolve() };

/** Runs the steps after a save and reports each: lint, compare, generate, typecheck, restart. */
export class Loop {
  readonly #options: LoopOptions;
  readonly #contractPath: string;
  /** The package of the service and its dependencies. */
  readonly #servedPackages: Package[];
  #diagnostics: Diagnostic[] = [];
  /** The contract of the last generation. Git may change it together with the generated files. */
  #contract: Contract | undefined;
  /** Whether the contract has had faults since. */
  #hasFaults = false;
  /** The files that the contract refers to, or has referred to since the start. They may be outside `openapi`. */
  readonly #contractFiles = new Set<string>();
  /** The generated document as text. */
  #generated = "";
  /** Whether the code of the service has changed since it was started. */
  #isStale = true;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#contractPath = join(options.root, "openapi/openapi.yaml");
    this.#servedPackages = withDependencies("apps/server", options.packages);
  }

  /** Reports on a save: prints each section as soon as it is known, and at the end the next step. */
  async report({ files, at }: Save): Promise<void> {
    const { root, packages, print } = this.#options;
    const changed = new Set(files);
    let generation: Generation | undefined;
    if ([...files].some((file) => this.#isOfContract(file))) {
      generation = await this.#generate(changed, at);
      if (generation === undefined) {
        print(this.#serviceSection("still runs the previous code"));
        print(section("next", FIX_CONTRACT));
        return;
      }
    }
    const affected = affectedBy(changed, packages);
    const diagnostics = await this.#check(affected, generation);
    if (affected.length > 0) print(diagnosticsSection(root, diagnostics, affected.length, performance.now() - at));
    if (isServedCode(changed, this.#servedPackages)) this.#isStale = true;
    print(await this.#renewService(diagnostics));
    print(section("next", await this.#next(diagnostics)));
  }

  #isOfContract(file: string): boolean {
    return /^openapi\/.*\.(?:ya?ml|json)$/.test(file) || this.#contractFiles.has(file);
  }

  /**
   * Compares the contract with the last commit, and generates from it. Adds the generated folder to `changed` if its content is
   * new. Returns undefined, and changes nothing on disk, if the contract has faults.
   */
  async #generate(changed: Set<string>, at: number): Promise<Generation | undefined> {
    const { root, packages, print, signal } = this.#options;
    for (const file of filesOf(this.#contractPath, root)) this.#contractFiles.add(file);
    const problems = await lint(this.#contractPath);
    const faults = problems.filter(({ kind }) => kind === "fault");
    this.#hasFaults = faults.length > 0;
    if (this.#hasFaults) {
      print(problemsSection(faults));
      return undefined;
    }
    const document = await bundle(this.#contractPath);
    const changes = await changesSinceCommit(document, this.#contractPath);
    this.#contract = { document, changes, problems };
    print(changesSection(changes, performance.now() - at));
    if (problems.length > 0) print(styleSection(problems));
    const generated = JSON.stringify(document);
    const { written, derived, done } = await generateFrom(document, root, packages, signal);
    if (generated !== this.#generated) changed.add("packages/contract/src/generated/");
    this.#generated = generated;
    return { written, derived, done: done.then(() => print(typesSection(written, performance.now() - at))) };
  }

  /**
   * Type-checks the affected packages and returns the diagnostics of all packages. Packages that use no generated code but the
   * contract's are checked while the other code is generated.
   */
  async #check(affected: Package[], { derived, done }: Generation = NOTHING_GENERATED): Promise<Diagnostic[]> {
    const { root, packages, signal } = this.#options;
    const later = affectedBy(
      derived.map(({ folder }) => `${folder}/`),
      packages,
    );
    const checks = [
      typecheck(
        root,
        affected.filter((one) => !later.includes(one)),
        signal,
      ),
      done.then(() =>
        typecheck(
          root,
          affected.filter((one) => later.includes(one)),
          signal,
        ),
      ),
    ];
    await Promise.allSettled(checks); // a failure must not leave a compiler behind that still writes its state
    const found = (await Promise.all(checks)).flat();
    const others = this.#diagnostics.filter(
      ({ file }) => !affected.some(({ folder }) => file.startsWith(`${folder}/`)),
    );
    this.#diagnostics = withoutDuplicates([...others, ...found]);
    return this.#diagnostics;
  }

  async #renewService(diagnostics: Diagnostic[]): Promise<string> {
    if (!this.#isStale) return this.#serviceSection("is unchanged");
    if (isServedCode(new Set(diagnostics.map(({ file }) => file)), this.#servedPackages))
      return this.#serviceSection("still runs the previous code");
    const wasRunning = this.#options.service.address !== undefined;
    const address = await this.#options.service.restart();
    this.#isStale = address === undefined;
    return address === undefined
      ? section("service", "did not start, for the reason printed above")
      : this.#serviceSection(wasRunning ? "restarted" : "started");
  }

  #serviceSection(state: string): string {
    const { address } = this.#options.service;
    return section("service", address === undefined ? "is not running" : `${state} at ${address}`);
  }

  async #next(diagnostics: Diagnostic[]): Promise<string> {
    if (diagnostics.length > 0) {
      const fix = `Fix the ${counted(diagnostics.length, "place")} above.`;
      const id = this.#operationWithoutHandler(diagnostics);
      return id === undefined ? fix : `${fix} To create a stub of the handler: npx -y pnpm@12.21.0 scaffold ${id}`;
    }
    if (this.#options.service.address === undefined) return "Fix the error that keeps the service from starting.";
    if (this.#hasFaults) return "Fix the contract. Nothing is generated until then.";
    const remaining = [
      ...(this.#contract === undefined ? [] : await remainingInContract(this.#contract, this.#contractPath)),
      ...remainingStubs(this.#options.root),
    ];
    if (remaining.length > 0) return remaining.join(" ");
    return this.#contract === undefined || this.#contract.changes.length === 0
      ? "Nothing to fix."
      : "Run npx -y pnpm@12.21.0 contract check and the tests. Commit the contract and the generated files together.";
  }

  #operationWithoutHandler(diagnostics: Diagnostic[]): string | undefined {
    const ids = new Set(this.#contract && operationsOf(this.#contract.document).map(({ id }) => id));
    return diagnostics
      .filter(({ file }) => file.startsWith("apps/server/src/"))
      .flatMap(({ message }) => Array.from(message.join("\n").matchAll(/'(\w+)' is missing in type/g), ([, id]) => id!))
      .find((id) => ids.has(id));
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
