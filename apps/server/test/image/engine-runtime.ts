import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { root } from "@platform/test-support/clone";
import { type Container, type Runtime, stagesOf } from "@platform/test-support/image";
import { SERVICE } from "../../src/name.ts";

const FILE = resolve(import.meta.dirname, "../../Containerfile");
const TAG = `${SERVICE.name}-test`;

/** Builds and runs the image with podman or docker. Returns the reason if none works here or the base cannot be had. */
export function engineRuntime(): Runtime | string {
  const engine = ["podman", "docker"].find((name) => spawnSync(name, ["info"], { stdio: "ignore" }).status === 0);
  if (engine === undefined) return "neither podman nor docker runs here";
  const run = (...words: string[]) => execFileSync(engine, words, { encoding: "utf8", stdio: "pipe" }).trim();
  const stages = stagesOf(readFileSync(FILE, "utf8"));
  const pulled = spawnSync(engine, ["pull", stages[0]!.base], { encoding: "utf8" });
  if (pulled.status !== 0) return `${stages[0]!.base} cannot be pulled: ${pulled.stderr.trim().split("\n").at(-1)}`;
  const format = engine === "podman" ? ["--format", "docker"] : []; // the other format has no health check
  run("build", ...format, "--file", FILE, "--tag", TAG, root);
  const volume = `${TAG}-${process.pid}`;
  const check = checkOf(run("image", "inspect", TAG));
  const mount = ["--read-only", "--volume", `${volume}:/data`];
  return {
    start: async (env = {}) =>
      start(engine, [...mount, ...Object.entries(env).flatMap((own) => ["--env", own.join("=")])], check),
    checkWithoutService: async () => {
      const [program = "", ...words] = check;
      return spawnSync(engine, ["run", "--rm", ...mount, "--entrypoint", program, TAG, ...words]).status ?? -1;
    },
    remove: () => {
      run("volume", "rm", "--force", volume);
      run("image", "rm", "--force", TAG);
    },
  };
}

/** Returns the command of the health check, without its first word `CMD`. */
function checkOf(inspected: string): string[] {
  interface Checked {
    Healthcheck?: { Test: string[] };
  }
  const [image = {}] = JSON.parse(inspected) as (Checked & { Config?: Checked })[];
  const check = image.Config?.Healthcheck ?? image.Healthcheck ?? { Test: [] };
  return check.Test.slice(1);
}

function start(engine: string, options: string[], check: string[]): Container {
  const run = (...words: string[]) => execFileSync(engine, words, { encoding: "utf8", stdio: "pipe" }).trim();
  const id = run("run", "--detach", "--publish", "127.0.0.1::3000", ...options, TAG);
  const exec: Container["exec"] = (words, isRoot = false) => {
    const user = isRoot ? ["--user", "0:0"] : [];
    const ran = spawnSync(engine, ["exec", ...user, id, ...words], { encoding: "utf8" });
    return { code: ran.status ?? -1, output: ran.stdout + ran.stderr };
  };
  const output = () => {
    const { stdout, stderr } = spawnSync(engine, ["logs", id], { encoding: "utf8" });
    return stdout + stderr;
  };
  let printed: string | undefined;
  return {
    origin: `http://${run("port", id, "3000").split("\n")[0]}`,
    output: () => printed ?? output(),
    exec,
    check: () => exec(check).code,
    stop: async (signal) => {
      run("kill", "--signal", signal, id);
      const code = Number(run("wait", id));
      printed = output();
      run("rm", "--force", id);
      return code;
    },
  };
}
