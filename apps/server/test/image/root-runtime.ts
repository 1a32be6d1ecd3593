import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, matchesGlob, resolve } from "node:path";
import { cloneEnvironment, repositoryFiles, root as repository } from "@platform/test-support/clone";
import { freePort } from "@platform/test-support/machine";
import { stagesOf, type Stage } from "./containerfile.ts";
import type { Container, Runtime } from "./runtime.ts";

const SERVER = resolve(import.meta.dirname, "../..");

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
 * Makes the image's root of a folder: the steps of the Containerfile, over a base of the repository's Node, a shell and the
 * libraries of this machine. Containers run in namespaces. Returns the reason if this machine cannot do so.
 */
export function rootRuntime(): Runtime | string {
  const { status, error, stderr } = spawnSync("unshare", ["--mount", "--pid", "--fork", "true"], { encoding: "utf8" });
  if (process.getuid?.() !== 0) return "only root can make the image's root";
  if (status !== 0) return `namespaces cannot be made here: ${(error?.message ?? stderr).trim()}`;
  const folder = mkdtempSync(join(tmpdir(), "image-"));
  try {
    const image = build(folder);
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

function build(folder: string): Image {
  const [first, last] = stagesOf(readFileSync(join(SERVER, "Containerfile"), "utf8")) as [Stage, Stage];
  runBuildStage(first, join(folder, first.name!));
  const root = join(folder, "root");
  mkdirSync(root, { mode: 0o755 });
  makeBase(root);
  return { root, settings: runLastStage(last, root, folder) };
}

/** Runs the build on this machine, in a folder with the files that the context has. */
function runBuildStage({ instructions }: Stage, target: string): void {
  const ignored = readFileSync(join(SERVER, "Containerfile.dockerignore"), "utf8").trim().split("\n");
  const isIgnored = (file: string) => ignored.some((own) => matchesGlob(file, own) || matchesGlob(file, `${own}/**`));
  const env = { ...cloneEnvironment(), PATH: `${dirname(process.execPath)}:${cloneEnvironment()["PATH"]}` };
  let directory = target;
  for (const { name, value } of instructions) {
    if (name === "WORKDIR") mkdirSync((directory = join(target, value)), { recursive: true });
    else if (name === "COPY" && value === ". .") {
      const files = repositoryFiles().filter((file) => !isIgnored(file));
      for (const file of files) cpSync(join(repository, file), join(directory, file));
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
