/**
 * `pnpm bench comparison`: the share of single changes of contracts that `contract diff` and oasdiff rate right. Whether a change
 * breaks a client follows from what is valid before and after.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProgram, withProgress } from "@openapi-operations/command-line";
import { bundle } from "openapi-contract/bundle";
import { compareContracts } from "openapi-contract/comparison";
import { CONTRACT_CHANGES, type ContractChange } from "./contract-changes.ts";

/** The release of oasdiff to compare with. */
const OASDIFF = "github.com/oasdiff/oasdiff@v1.26.0";

const program = createProgram("bench comparison", {
  description: "Rates single changes of contracts by `contract diff`, and by oasdiff where Go is present.",
  folder: import.meta.dirname,
}).option("--wrong", "print each change that `contract diff` rates wrong", false);
const { wrong: printsWrong } = program.parse().opts<{ wrong: boolean }>();

type Rating = "right" | "missed" | "false alarm" | "failed";
type Rate = (change: ContractChange) => boolean | Promise<boolean>;

const folder = mkdtempSync(join(tmpdir(), "comparison-"));
try {
  const oasdiff = installOasdiff();
  console.log(`Single changes: ${CONTRACT_CHANGES.length}\n`);
  console.log("| | right | missed breaks | false alarms | failed |\n| --- | --- | --- | --- | --- |");
  const ours = await ratingsOf(rateOurs);
  printRow("contract diff", [...ours.values()]);
  if (oasdiff === undefined) console.log("\noasdiff needs Go, which is not on the PATH.");
  else
    for (const [name, level] of Object.entries({ "oasdiff, errors": "ERR", "oasdiff, also warnings": "WARN" }))
      printRow(name, [...(await ratingsOf(() => rateOasdiff(oasdiff, level))).values()]);
  if (printsWrong) for (const [{ kind }, rating] of ours) if (rating !== "right") console.log(`${rating}: ${kind}`);
} finally {
  rmSync(folder, { recursive: true });
}

async function ratingsOf(rate: Rate): Promise<Map<ContractChange, Rating>> {
  return withProgress(async (progress) => {
    const ratings = new Map<ContractChange, Rating>();
    for (const change of CONTRACT_CHANGES) {
      progress("Comparing", { done: ratings.size, total: CONTRACT_CHANGES.length, unit: "changes" });
      writeFileSync(join(folder, "before.json"), JSON.stringify(change.before));
      writeFileSync(join(folder, "after.json"), JSON.stringify(change.after));
      ratings.set(change, await ratingOf(rate, change));
    }
    return ratings;
  });
}

async function ratingOf(rate: Rate, change: ContractChange): Promise<Rating> {
  try {
    const isBreaking = await rate(change);
    if (isBreaking === change.isBreaking) return "right";
    return change.isBreaking ? "missed" : "false alarm";
  } catch {
    return "failed";
  }
}

async function rateOurs(): Promise<boolean> {
  const [before, after] = await Promise.all(["before.json", "after.json"].map((name) => bundle(join(folder, name))));
  return compareContracts({ before: before!, after: after! }).some(({ impact }) => impact === "breaking");
}

/** Installs oasdiff in the folder. Returns its path, or undefined without Go. */
function installOasdiff(): string | undefined {
  const { status } = spawnSync("go", ["install", OASDIFF], {
    env: { ...process.env, GOBIN: folder },
    stdio: "inherit",
  });
  return status === 0 ? join(folder, "oasdiff") : undefined;
}

/** oasdiff exits with 1 if it finds a change of the level, and with another status if it cannot compare. */
function rateOasdiff(oasdiff: string, level: string): boolean {
  const args = ["breaking", "before.json", "after.json", "--fail-on", level];
  const { status, stderr } = spawnSync(oasdiff, args, { cwd: folder, encoding: "utf8" });
  if (status !== 0 && status !== 1) throw new Error(stderr);
  return status === 1;
}

function printRow(name: string, ratings: Rating[]): void {
  const count = (rating: Rating) => ratings.filter((each) => each === rating).length;
  console.log(`| ${name} | ${(["right", "missed", "false alarm", "failed"] as const).map(count).join(" | ")} |`);
}
