import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const GENERATED = /^(?:packages|apps)\/[^/]+\/src\/generated\/[^/]+$/;

/** The generated files, as the generators have left them. */
export class GeneratedFiles {
  readonly #root: string;
  /** The hash of each file by its path from the root. */
  #hashes: Map<string, string>;
  readonly #edited = new Set<string>();
  /** Whether generators run, so that no file can be compared. */
  isGenerating = false;

  constructor(root: string) {
    this.#root = root;
    this.#hashes = this.#read();
  }

  /** Takes the files as the generators have left them, and returns those that have changed. */
  renew(): string[] {
    const before = this.#hashes;
    this.#hashes = this.#read();
    this.#edited.clear();
    this.isGenerating = false;
    return [...this.#hashes].filter(([file, hash]) => before.get(file) !== hash).map(([file]) => file);
  }

  /** Whether a saved file is generated, and as it was left or new. */
  isExpected(file: string): boolean {
    if (!GENERATED.test(file)) return false;
    return this.isGenerating || (!this.#edited.has(file) && !this.#differs(file));
  }

  /** Notes which of the saved files are edited, and returns all that are. */
  edited(saved: Iterable<string>): string[] {
    for (const file of saved) {
      if (this.#differs(file)) this.#edited.add(file);
      else this.#edited.delete(file);
    }
    return [...this.#edited];
  }

  #differs(file: string): boolean {
    const hash = this.#hashes.get(file);
    return hash !== undefined && hash !== hashOf(join(this.#root, file));
  }

  #read(): Map<string, string> {
    const files = globSync("{packages,apps}/*/src/generated/*", { cwd: this.#root });
    return new Map(files.map((file) => [file.replaceAll("\\", "/"), hashOf(join(this.#root, file))]));
  }
}

function hashOf(path: string): string {
  return existsSync(path) ? createHash("sha1").update(readFileSync(path)).digest("hex") : "";
}
