import { mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { bundle } from "../build.ts";

/** A change of one place in the source of the service, or of express-operations. */
interface Patch {
  /** From the root of the repository. */
  file: string;
  from: string;
  to: string;
}

const SERVICE = "packages/service/src";
const API_KEYS = "packages/api-keys/src";
const STORAGE = "packages/storage/src";
const OPERATIONS = "packages/express-operations/src";

/** What the service is measured with besides as it stands, so that its source needs no switches for that. */
export const PATCHES = {
  "synchronous=NORMAL": { file: `${STORAGE}/sqlite/sqlite.file.ts`, from: "synchronous: 2", to: "synchronous: 1" },
  "without grouped commits": {
    file: `${STORAGE}/sqlite/grouping-commits.ts`,
    from: "LARGEST_GROUP = 256",
    to: "LARGEST_GROUP = 1",
  },
  "without commits in the turn of their requests": {
    file: `${STORAGE}/data-version.ts`,
    from: "process.nextTick(storage.commitNow)",
    to: "{}",
  },
  "without savepoints spared": {
    file: `${STORAGE}/sqlite/grouping-commits.ts`,
    from: "await runTogether(trx, begun)",
    to: "await runEachAlone(trx, begun)",
  },
  "without anything kept": {
    file: `${SERVICE}/service-app.ts`,
    from: "stateOf(response).dataVersion = version;",
    to: "",
  },
  "without requests of a turn together": {
    file: `${STORAGE}/data-version.ts`,
    from: "if (arrived.length === 1) setImmediate(begin);",
    to: "begin();",
  },
  "without answers kept": {
    file: `${OPERATIONS}/operation.ts`,
    from: "this.#isKept = isCacheable(handler)",
    to: "this.#isKept = false",
  },
  "without key verdicts kept": {
    file: `${API_KEYS}/authentication.ts`,
    from: "if (current !== undefined && current === version) keep(token, verdict);",
    to: "",
  },
  "without queries compiled once": {
    file: `${STORAGE}/prepared.ts`,
    from: "compiled.get(shape) ??",
    to: "",
  },
  "without running queries at once": {
    file: `${STORAGE}/prepared.ts`,
    from: "adapter instanceof SqliteFileAdapter ?",
    to: "false ?",
  },
  "without statements kept": {
    file: `${STORAGE}/sqlite/sqlite.dialect.ts`,
    from: "kept !== undefined",
    to: "false",
  },
  "without headers written at once": {
    file: `${SERVICE}/http/request-state.ts`,
    from: "this.getHeaderNames().length === 0",
    to: "false",
  },
  "without prototypes from birth": {
    file: `${SERVICE}/http/express-messages.ts`,
    from: "if (app.request === undefined || app.response === undefined)",
    to: "",
  },
  "without writing the log in batches": {
    file: `${SERVICE}/observability/request-log.ts`,
    from: "lines += line;",
    to: "flush(out.write(line));",
  },
  "without a log line free of redaction": {
    file: `${SERVICE}/observability/request-log.ts`,
    from: "{ redact: [] }",
    to: "{}",
  },
  "without refusals free of a stack": {
    file: `${OPERATIONS}/problem.ts`,
    from: "Error.stackTraceLimit = 0;",
    to: "",
  },
  "without refusals of keys given, not thrown": {
    file: `${OPERATIONS}/operation.ts`,
    from: "if (admitted instanceof Problem) return admitted;",
    to: "if (admitted instanceof Problem) throw admitted;",
  },
  "without middlewares as one": {
    file: `${SERVICE}/service-app.ts`,
    from: "return (request, response, next) => {",
    to: "return middlewares; return (request, response, next) => {",
  },
  "without bodies read at once": { file: `${OPERATIONS}/request/body.ts`, from: "request.complete ?", to: "false ?" },
  "without going on at once": { file: `${OPERATIONS}/security/security.ts`, from: '=== "function"', to: '!== "never"' },
  "without the shortcut past EOV": {
    file: `${OPERATIONS}/implement.ts`,
    from: "shortcut = true,",
    to: "shortcut = false,",
  },
} satisfies Record<string, Patch>;

export type PatchName = keyof typeof PATCHES;

const ROOT = resolve(import.meta.dirname, "../../..");

const builds = new Map<string, Promise<string>>();
let folder: string | undefined;

/** The URL of `service.ts`, bundled as `build` does it with these changes made. Rejects when one finds nothing to change. */
export function serviceWith(names: PatchName[]): Promise<string> {
  const key = names.toSorted().join();
  const made = builds.get(key) ?? buildWith(names);
  builds.set(key, made);
  return made;
}

async function buildWith(names: PatchName[]): Promise<string> {
  folder ??= temporaryFolder();
  const target = join(folder, String(builds.size));
  const left = new Set<Patch>(names.map((name) => PATCHES[name]));
  const transform = (source: string, path: string): string => {
    let text = source;
    for (const patch of left) {
      if (join(ROOT, patch.file) !== path || !text.includes(patch.from)) continue;
      text = text.replace(patch.from, patch.to);
      left.delete(patch);
    }
    return text;
  };
  await bundle(target, { service: join(import.meta.dirname, "service.ts") }, [{ name: "patches", transform }]);
  for (const { file, from } of left) throw new Error(`${file} no longer says: ${from}`);
  return pathToFileURL(join(target, "src/service.js")).href;
}

/** Below the packages that are not bundled. */
function temporaryFolder(): string {
  const made = mkdtempSync(join(import.meta.dirname, "../node_modules/.bench-"));
  process.once("exit", () => rmSync(made, { recursive: true }));
  return made;
}
