import { join } from "node:path";
import type { ContractChange } from "@platform/contract-tools/comparison";
import { generateFrom } from "./contract.ts";
import { affectedBy, type Package } from "./packages.ts";
import { changesSection, counted, diagnosticsSection, problemsSection, section, typesSection } from "./report.ts";
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

/** Runs the steps after a save and reports each: lint, generate, typecheck, restart. */
export class Loop {
  readonly #options: LoopOptions;
  /** The package of the service and its dependencies. */
  readonly #servedPackages: Package[];
  #diagnostics: Diagnostic[] = [];
  /** The contract of the last generation. Git may change it together with the generated files. */
  #document = "";
  #changes: ContractChange[] = [];
  /** Whether the code of the service has changed since it was started. */
  #isStale = true;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#servedPackages = withDependencies("apps/server", options.packages);
  }

  /** Reports on a save: prints each section as soon as it is known, and at the end the next step. */
  async report({ files, at }: Save): Promise<void> {
    const { root, packages, print, signal } = this.#options;
    const changed = new Set(files);
    let changes: Promise<ContractChange[]> | undefined;
    if ([...files].some((file) => /^openapi\/.*\.ya?ml$/.test(file))) {
      const contract = join(root, "openapi/openapi.yaml");
      const generated = await generateFrom(root, contract, packages, signal);
      if ("problems" in generated) {
        print(problemsSection(generated.problems));
        print(this.#serviceSection("still runs the previous code"));
        print(section("next", "Fix the contract at these places. Nothing is generated until then."));
        return;
      }
      const elapsed = performance.now() - at;
      if (generated.document !== this.#document) changed.add("packages/contract/src/generated/");
      this.#document = generated.document;
      changes = generated.changes;
      print(typesSection(generated.written, elapsed));
    }
    const affected = affectedBy(changed, packages);
    const diagnostics = await this.#check(affected);
    if (changes !== undefined) {
      this.#changes = await changes;
      print(changesSection(this.#changes));
    }
    if (affected.length > 0) print(diagnosticsSection(root, diagnostics, affected.length, performance.now() - at));
    if (isServedCode(changed, this.#servedPackages)) this.#isStale = true;
    print(await this.#renewService(diagnostics));
    print(section("next", this.#next(diagnostics)));
  }

  /** Type-checks the affected packages and returns the diagnostics of all packages. */
  async #check(affected: Package[]): Promise<Diagnostic[]> {
    const { root, signal } = this.#options;
    if (affected.length === 0) return this.#diagnostics;
    const found = await typecheck(root, affected, signal);
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

  #next(diagnostics: Diagnostic[]): string {
    if (diagnostics.length > 0) {
      const fix = `Fix the ${counted(diagnostics.length, "place")} above.`;
      const id = this.#operationWithoutHandler(diagnostics);
      return id === undefined ? fix : `${fix} To create a stub of the handler: npx -y pnpm@12.21.0 scaffold ${id}`;
    }
    if (this.#options.service.address === undefined) return "Fix the error that keeps the service from starting.";
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
