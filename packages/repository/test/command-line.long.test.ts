import { test } from "vitest";
import { manifestAt, PROGRAMS, run, SUBCOMMANDS } from "./programs.ts";

test.concurrent.for([...PROGRAMS, ...SUBCOMMANDS])("%s --help", async (line, { expect }) => {
  const { code, stdout, stderr } = await run(line, "--help");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^Usage: [\w:<>[\]. -]+\n\n[A-Za-z][^]*\n {2}-h, --help +\w/);
});

test.concurrent.for(PROGRAMS)("%s --version", async (line, { expect }) => {
  const { version } = manifestAt(`${line.split("/").slice(0, 2).join("/")}/package.json`);
  expect(await run(line, "--version")).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

test.concurrent.for([...PROGRAMS, ...SUBCOMMANDS])("%s --nonsense", async (line, { expect }) => {
  const { code, stdout, stderr } = await run(line, "--nonsense");
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^error: unknown option '--nonsense'.*\nAdd --help to see the usage\.\n$/i);
});
