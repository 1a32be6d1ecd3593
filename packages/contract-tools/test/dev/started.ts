import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { Service } from "../../src/dev/service.ts";

/** A folder that is deleted after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "dev-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Returns how many resources of a kind keep this process alive. */
export function held(kind: RegExp): number {
  return process.getActiveResourcesInfo().filter((name) => kind.test(name)).length;
}

/** Writes a program in place of the service. It stores its process id, prints that it is listening, and ends when it is asked to. */
export function writeProgram(root: string, statement = ""): { pid: () => number } {
  const program = join(root, "apps/server/bin/service.js");
  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(
    program,
    `${statement} require("node:fs").writeFileSync("pid", String(process.pid)); process.on("message", () => process.exit());
     console.log("It is listening on http://127.0.0.1:1/v1");`,
  );
  return { pid: () => Number(readFileSync(join(root, "pid"), "utf8")) };
}

/** A service that is running. */
export interface Started {
  service: Service;
  root: string;
  pid: () => number;
  /** The lines that it has logged by now. */
  printed: string[];
}

/** Such a program, started. */
export async function started(statement: string): Promise<Started> {
  const root = temporaryFolder();
  const { pid } = writeProgram(root, statement);
  const printed: string[] = [];
  const service = new Service(root, (line) => printed.push(line));
  onTestFinished(() => {
    if (service.address !== undefined) process.kill(pid(), "SIGKILL");
  });
  expect(await service.restart()).toBe("http://127.0.0.1:1/v1");
  expect(service.address).toBe("http://127.0.0.1:1/v1");
  return { service, root, pid, printed };
}
