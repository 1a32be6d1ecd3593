import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, matchesGlob } from "node:path";
import { expect, onTestFinished } from "vitest";
import { cloneEnvironment, filesOf } from "./clone.ts";
import { freePort } from "./machine.ts";

/** A way to run the image of a service. */
export interface Runtime {
  /** Starts a container with the file system read-only and the volume kept from before; `env` adds to its environment. */
  start: (env?: Record<string, string>) => Promise<Container>;
  /** Runs the health check in a container of its own, in which nothing listens. Returns its exit code. */
  checkWithoutService: () => Promise<number>;
  remove: () => void;
}

/** A container. */
export interface Container {
  /** Its address from outside. */
  origin: string;
  /** Everything that it has printed. */
  output: () => string;
  /** Runs a command in the container, as the image's user unless `isRoot` is set. */
  exec: (words: string[], isRoot?: boolean) => { code: number; output: string };
  /** Runs the health check of the image. */
  check: () => number;
  /** Sends a signal to process 1 and resolves with the exit code of the container. */
  stop: (signal: NodeJS.Signals) => Promise<number>;
}

/** Starts a container and waits until it is ready. It is killed after the test. */
export async function startReady(runtime: Runtime, env?: Record<string, string>): Promise<Container> {
  const container = await runtime.start(env);
  let isStopped = false;
  onTestFinished(async () => void (isStopped || (await container.stop("SIGKILL"))));
  await expect.poll(container.output, { timeout: 60_000 }).toContain("is listening on");
  const status = () =>
    fetch(`${container.origin}/readyz`).then(
      (response) => response.status,
      () => container.output(),
    );
  await expect.poll(status, { timeout: 60_000 }).toBe(200);
  const stop: Container["stop"] = async (signal) => {
    const code = await container.stop(signal);
    isStopped = true;
    return code;
  };
  return { ...container, stop };
}

/** An instruction of a Containerfile, such as `USER node`. */
interface Instruction {
  name: string;
  value: string;
}

/** A stage: its base image, and the instructions after `FROM`. */
interface Stage {
  base: string;
  name: string | undefined;
  instructions: Instruction[];
}

/** Reads the stages of a Containerfile. The default of an `ARG` before the first stage replaces its variable. */
export function stagesOf(text: string): Stage[] {
  const lines = text
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const defaults = new Map<string, string>();
  const stages: Stage[] = [];
  for (const line of lines) {
    const [, name = "", value = ""] = /^(\w+) (.*)$/.exec(line) ?? [];
    const current = stages.at(-1);
    if (name === "FROM") {
      const [base = "", , stage] = value.split(" ");
      stages.push({
        base: base.replaceAll(/\$\{(\w+)\}/g, (_, own: string) => defaults.get(own)!),
        name: stage,
        instructions: [],
      });
    } else if (current === undefined) {
      const [own = "", fallback = ""] = value.split("=");
      defaults.set(own, fallback);
    } else {
      current.instructions.push({ name, value });
    }
  }
  return stages;
}

/** The variable of the images of Node and Debian. */
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The user that images of Node have. */
const NODE_USER = { uid: 1000, gid: 1000 };

/** The settings of an image for its containers. */
interface Settings {
  env: Record<string, string>;
  userspec: string;
  workdir: string;
  volumes: string[];
  command: string[];
  healthcheck: string[];
}

/**
 * Makes the root of the image of a service whose repository is in a folder: the steps of `apps/server/Containerfile`, over a base of
 * this process's Node, a shell and the libraries of this machine. The build has `environment`. Containers run in namespaces. Returns the
 * reason if this machine cannot do so.
 */
export function rootRuntime(repository: string, environment = cloneEnvironment()): Runtime | string {
  const { status, error, stderr } = spawnSync("unshare", ["--mount", "--pid", "--fork", "true"], { encoding: "utf8" });
  if (process.getuid?.() !== 0) return "only root can make the image's root";
  if (status !== 0) return `namespaces cannot be made here: ${(error?.message ?? stderr).trim()}`;
  const folder = mkdtempSync(join(tmpdir(), "image-"));
  try {
    const image = build(repository, folder, environment);
    const { volumes } = image.settings;
    const stored = volumes.map((volume, at) => {
      cpSync(join(image.root, volume), join(folder, `volume-${at}`), { recursive: true });
      execFileSync("chown", ["--reference", join(image.root, volume), join(folder, `volume-${at}`)]);
      execFileSync("chmod", ["--reference", join(image.root, volume), join(folder, `volume-${at}`)]);
      return join(folder, `volume-${at}`);
    });
    return {
      start: (env = {}) => start(image, stored, env),
      checkWithoutService: async () => {
        const { healthcheck, env } = image.settings;
        const idle = await freePort();
        const own = { ...image, settings: { ...image.settings, command: healthcheck } };
        const [code] = (await once(spawnIn(own, stored, { ...env, PORT: String(idle) }), "exit")) as [number];
        return code;
      },
      remove: () => rmSync(folder, { recursive: true }),
    };
  } catch (failure) {
    rmSync(folder, { recursive: true });
    throw failure;
  }
}

interface Image {
  root: string;
  settings: Settings;
}

function build(repository: string, folder: string, environment: NodeJS.ProcessEnv): Image {
  const [first, last] = stagesOf(readFileSync(join(repository, "apps/server/Containerfile"), "utf8")) as [Stage, Stage];
  runBuildStage(first, repository, join(folder, first.name!), environment);
  const root = join(folder, "root");
  mkdirSync(root, { mode: 0o755 });
  makeBase(root);
  return { root, settings: runLastStage(last, root, folder) };
}

/** Returns the files that the build of the image gets, by path from the repository: those that are committed and not left out. */
export function contextFiles(repository: string): string[] {
  const ignored = readFileSync(join(repository, "apps/server/Containerfile.dockerignore"), "utf8").trim().split("\n");
  const isIgnored = (file: string) => ignored.some((own) => matchesGlob(file, own) || matchesGlob(file, `${own}/**`));
  return filesOf(repository).filter((file) => !isIgnored(file));
}

/** Runs the build on this machine, in a folder with the files that the context has. */
function runBuildStage(
  { instructions }: Stage,
  repository: string,
  target: string,
  environment: NodeJS.ProcessEnv,
): void {
  const env = { ...environment, PATH: `${dirname(process.execPath)}:${environment["PATH"]}` };
  let directory = target;
  for (const { name, value } of instructions) {
    if (name === "WORKDIR") mkdirSync((directory = join(target, value)), { recursive: true });
    else if (name === "COPY" && value === ". .") {
      for (const file of contextFiles(repository)) cpSync(join(repository, file), join(directory, file));
    } else if (name === "RUN") execFileSync("sh", ["-c", value], { cwd: directory, env, stdio: "pipe" });
    else throw new Error(`The build stage has the unknown instruction ${name} ${value}`);
  }
}

/** Makes what the image of Node has of what the service needs: Node, a shell, coreutils, the user `node`. */
function makeBase(root: string): void {
  for (const own of ["dev", "proc", "etc", "tmp", "usr/local/bin"]) mkdirSync(join(root, own), { recursive: true });
  for (const device of ["null", "zero", "urandom"]) writeFileSync(join(root, "dev", device), "");
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n");
  writeFileSync(join(root, "etc/group"), "root:x:0:\nnode:x:1000:\n");
  copyProgram(process.execPath, join(root, "usr/local/bin/node"), root);
  copyProgram("/bin/sh", join(root, "bin/sh"), root);
  copyProgram("/usr/bin/install", join(root, "usr/bin/install"), root);
}

/** Copies a program, and the libraries that it loads to the same paths. */
function copyProgram(program: string, target: string, root: string): void {
  const libraries = execFileSync("ldd", [program], { encoding: "utf8" }).matchAll(/(\/\S+) \(0x/g);
  const copies = [[program, target], ...Array.from(libraries, ([, library]) => [library!, join(root, library!)])];
  for (const [from, to] of copies) {
    mkdirSync(dirname(to!), { recursive: true });
    copyFileSync(from!, to!);
  }
}

function runLastStage({ instructions }: Stage, root: string, stages: string): Settings {
  const settings: Settings = { env: {}, userspec: "0:0", workdir: "/", volumes: [], command: [], healthcheck: [] };
  for (const { name, value } of instructions) {
    if (name === "ENV") {
      for (const own of value.split(" "))
        settings.env[own.slice(0, own.indexOf("="))] = own.slice(own.indexOf("=") + 1);
    } else if (name === "COPY") {
      const [, from = "", source = "", target = ""] = /^--from=(\w+) (\S+) (\S+)$/.exec(value)!;
      cpSync(join(stages, from, source), join(root, target), { recursive: true });
    } else if (name === "RUN") execFileSync("chroot", [root, "/bin/sh", "-c", value], { env: { PATH }, stdio: "pipe" });
    else if (name === "VOLUME") settings.volumes.push(value);
    else if (name === "USER" && value === "node") settings.userspec = `${NODE_USER.uid}:${NODE_USER.gid}`;
    else if (name === "WORKDIR") settings.workdir = value;
    else if (name === "HEALTHCHECK") settings.healthcheck = JSON.parse(value.slice(value.indexOf("["))) as string[];
    else if (name === "ENTRYPOINT" || name === "CMD") settings.command.push(...(JSON.parse(value) as string[]));
    else if (name !== "EXPOSE") throw new Error(`The last stage has the unknown instruction ${name} ${value}`);
  }
  return settings;
}

/** Makes the root read-only but for its volume, and becomes process 1 as the image's user. */
const BECOME_CONTAINER = `
  root=$1 volume=$2 target=$3 userspec=$4 workdir=$5; shift 5
  mount --bind "$root" "$root"
  mount --bind "$volume" "$root$target"
  mount -t proc proc "$root/proc"
  for device in null zero urandom; do mount --bind "/dev/$device" "$root/dev/$device"; done
  mount -o remount,bind,ro "$root"
  exec chroot --userspec="$userspec" "$root" /bin/sh -c 'cd "$0" && exec "$@"' "$workdir" "$@"`;

function spawnIn({ root, settings }: Image, [volume = ""]: string[], env: Record<string, string>): ChildProcess {
  const { volumes, userspec, workdir, command } = settings;
  const words = [root, volume, volumes[0]!, userspec, workdir, ...command];
  const namespaces = ["--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child"];
  return spawn("unshare", [...namespaces, "sh", "-ec", BECOME_CONTAINER, "sh", ...words], {
    env: { PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function start(image: Image, volumes: string[], added: Record<string, string>): Promise<Container> {
  const { root, settings } = image;
  const port = await freePort();
  const env = { ...settings.env, PORT: String(port), ...added };
  const child = spawnIn(image, volumes, env);
  const ended = once(child, "exit") as Promise<[number | null]>;
  let output = "";
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const processOne = (): number => Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim());
  const exec: Container["exec"] = (words, isRoot = false) => {
    const enter = ["--target", String(processOne()), "--mount", "--pid", "--ipc", "--uts"];
    const chroot = ["chroot", `--userspec=${isRoot ? "0:0" : settings.userspec}`, root];
    const shell = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', settings.workdir, ...words];
    const ran = spawnSync("nsenter", [...enter, ...chroot, ...shell], { env: { PATH, ...env }, encoding: "utf8" });
    return { code: ran.status ?? -1, output: ran.stdout + ran.stderr };
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    output: () => output,
    exec,
    check: () => exec(settings.healthcheck).code,
    stop: async (signal) => {
      process.kill(processOne(), signal);
      return (await ended)[0] ?? -1;
    },
  };
}
