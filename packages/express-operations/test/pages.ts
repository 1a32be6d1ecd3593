import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "@platform/test-support/machine";
import { expect } from "vitest";

const source = fileURLToPath(new URL("..", import.meta.url));

/** A block of a page: a file to write, or commands with the lines that they print. */
type Step = { file: string; text: string } | { commands: string[]; output: string[] };

/** A page of the documentation, and its blocks in order. */
export interface Page {
  /** The path in the package. */
  path: string;
  text: string;
  steps: Step[];
}

/** A fenced block with its language. */
const BLOCK = /^```(\w*)\n([\s\S]*?)^```$/gm;
/** The first line of a file's block: a comment with its name. */
const NAME = /^(?:#|\/\/) ([\w.-]+\.\w+)$/;

/** The README, the guides, the reference and the background. */
export const pages: Page[] = ["README.md", ...globSync("docs/{*,guides/*}.md", { cwd: source }).toSorted()].map(pageAt);

function pageAt(path: string): Page {
  const text = readFileSync(join(source, path), "utf8");
  const steps: Step[] = [];
  for (const [, language, code = ""] of text.matchAll(BLOCK)) {
    const lines = code.trimEnd().split("\n");
    const previous = steps.at(-1);
    if (language === "sh") steps.push({ commands: lines, output: [] });
    else if (language === "text" && previous && "commands" in previous) previous.output = lines;
    else if (language !== "") steps.push({ file: nameIn(lines[0]!, path), text: code });
    // Blocks without a language install tarballs; packages/repository/test/install.long.test.ts runs them.
    else if (path !== "README.md") throw new Error(`${path}: the block "${lines[0]}" has no language.`);
  }
  return { path, text, steps };
}

function nameIn(line: string, path: string): string {
  const name = NAME.exec(line)?.[1];
  if (name === undefined) throw new Error(`${path}: the block "${line}" does not start with the name of its file.`);
  return name;
}

/** How a page is followed. */
interface Reading {
  steps: Step[];
  folder: string;
  /** Returns the command to run in place of a page's, or undefined to skip one that prints nothing. */
  commandFor: (command: string) => string | undefined;
  /** Called before a later version of a program replaces it. Returns its faults, or an empty text. */
  check?: () => string;
}

/** Writes the files of a page and runs its commands in order, as a reader does. Returns what differs from the page. */
export async function follow({ steps, folder, commandFor, check = () => "" }: Reading): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const ports = new Map([
    ["3000", String(await freePort())],
    ["3001", String(await freePort())],
  ]);
  const onOwnPorts = (text: string) => text.replaceAll(/\b300[01]\b/g, (port) => ports.get(port)!);
  const servers = new Map<string, ChildProcess>();
  const faults: string[] = [];
  try {
    for (const step of steps) {
      if ("file" in step) {
        const path = join(folder, step.file);
        if (step.file.endsWith(".ts") && existsSync(path)) faults.push(check());
        writeFileSync(path, onOwnPorts(step.text));
        continue;
      }
      const commands = step.commands.map(commandFor).filter((command) => command !== undefined);
      let printed = "";
      for (const command of commands.map(onOwnPorts)) printed += `${await run(command, folder, servers)}\n`;
      const missing = missingLine(printed, step.output.map(onOwnPorts));
      if (missing !== undefined) faults.push(`"${missing}" is missing in:\n${printed}`);
    }
  } finally {
    await Promise.all(Array.from(servers.values(), stop));
  }
  return faults.filter((fault) => fault !== "");
}

/** Runs a command, and returns its output. A program that listens goes on, until another one takes its port. */
async function run(command: string, folder: string, servers: Map<string, ChildProcess>): Promise<string> {
  const program = /^node (?:--env-file=\S+ )?([\w.-]+\.ts)$/.exec(command)?.[1];
  const port = program && /\.listen\((\d{4,})/.exec(readFileSync(join(folder, program), "utf8"))?.[1];
  if (!program || !port) return outputOf(command, folder);
  const former = servers.get(port);
  if (former !== undefined) await stop(former);
  const server = spawn(process.execPath, command.split(" ").slice(1), {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  servers.set(port, server);
  const state = async () => (server.exitCode !== null ? "ended" : (await accepts(port)) ? "listens" : "starts");
  await expect.poll(state, { timeout: 60_000 }).not.toBe("starts");
  expect(await state(), program).toBe("listens");
  return "";
}

async function outputOf(command: string, cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile("sh", ["-ec", command], { cwd }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${command}\n${stdout}${stderr}`, { cause: error }));
    });
  });
}

async function accepts(port: string): Promise<boolean> {
  const socket = connect(Number(port), "127.0.0.1");
  const isOpen = once(socket, "connect").then(
    () => true,
    () => false,
  );
  return isOpen.finally(() => socket.destroy());
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const ended = once(server, "exit");
  server.kill();
  await ended;
}

/** Returns the first line that the output does not have, or not in this order. A page shows left out lines as "…". */
function missingLine(printed: string, lines: string[]): string | undefined {
  let rest = printed.replaceAll("\r", "").split("\n");
  for (const line of lines.filter((each) => each !== "…")) {
    if (!rest.includes(line)) return line;
    rest = rest.slice(rest.indexOf(line) + 1);
  }
  return undefined;
}
