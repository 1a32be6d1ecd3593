import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { root } from "@petstore/repo-checks/clone";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { cleanClone, type Dev, startDev } from "./start.ts";
import { applied, type Block, blocksOf, brokenPromise } from "./tutorial.ts";

const TUTORIAL = "openapi/adding-an-operation.md";
const PNPM = "npx -y pnpm@12.21.0 ";
/** Each step ends in what the reader is promised to see. */
const [start, ...steps] = stepsOf(blocksOf(readFileSync(join(root, TUTORIAL), "utf8")));

const WHOLE_SUITE: Step = {
  name: "the whole suite passes",
  actions: [{ language: "sh", subject: undefined, before: undefined, text: `${PNPM}test` }],
  promise: { language: "text", subject: "output", before: undefined, text: " 0 failed" },
};

describe("openapi/adding-an-operation.md", () => {
  let directory: string;
  let dev: Dev;
  let output = "";
  let isBroken = false;

  beforeAll(() => {
    directory = cleanClone();
    dev = startDev(directory);
  });
  beforeEach(({ skip }) => skip(isBroken, "a step before it failed"));
  afterEach(({ task }) => void (isBroken ||= task.result?.state === "fail"));
  afterAll(() => dev.interrupt());

  test("begins with the loop, in a repository without faults", async () => {
    expect(start).toMatchObject({ actions: [{ language: "sh", text: `${PNPM}dev\n` }] });
    expect(await dev.report()).toMatch(/no errors in .*Nothing to mend/s);
  });

  // With TUTORIAL_SUITE the copy ends with `pnpm test` as a whole, which takes minutes; without, with what was touched.
  test.each(
    [...steps, ...(process.env["TUTORIAL_SUITE"] === undefined ? [] : [WHOLE_SUITE])].map(
      (step) => [step.name, step] as const,
    ),
  )("%s", async (_name, { actions, promise }) => {
    for (const action of actions) {
      if (action.language === "sh") run(action);
      else edit(action);
    }
    const said = promise.subject === "loop" ? await dev.report() : output;
    expect(brokenPromise(promise.text, said), said).toBeUndefined();
  });

  function edit(block: Block): void {
    const file = join(directory, block.subject!);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, applied(block, existsSync(file) ? readFileSync(file, "utf8") : ""));
  }

  /** What pnpm would run, without its look at what is installed. */
  function run({ text, subject }: Block): void {
    const [, folder = "", words] = /^(?:--filter @petstore\/(server) exec )?(.*)$/s.exec(text.replace(PNPM, ""))!;
    const { scripts } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as { scripts: object };
    const [first = "", ...others] = words!.trim().split(" ");
    const script = (scripts as Record<string, string>)[first] ?? first;
    const cwd = join(directory, folder === "" ? "" : `apps/${folder}`);
    const { status, stdout, stderr } = spawnSync("bash", ["-c", [script, ...others].join(" ")], { ...options(), cwd });
    output = stdout + stderr;
    expect(status === 0, output).toBe(subject !== "fails");
  }

  function options() {
    const bin = join(directory, "node_modules/.bin");
    return {
      cwd: directory,
      encoding: "utf8",
      env: { ...process.env, PATH: bin + delimiter + process.env["PATH"], NO_COLOR: "1", PETSTORE_URL: dev.address() },
    } as const;
  }
});

interface Step {
  name: string;
  actions: Block[];
  promise: Block;
}

/** What is done up to each promise; the start of the loop has none of its own. */
function stepsOf(blocks: Block[]): Step[] {
  const [first, ...rest] = blocks;
  const all: Step[] = [{ name: "dev", actions: [first!], promise: first! }];
  let actions: Block[] = [];
  for (const block of rest) {
    if (block.language !== "text") {
      actions.push(block);
      continue;
    }
    const done = actions.map(({ subject, text }) =>
      subject === undefined || subject === "fails" ? text.trim() : subject,
    );
    all.push({ name: `${all.length}. ${done.join(", ") || "the same"}`, actions, promise: block });
    actions = [];
  }
  return all;
}
