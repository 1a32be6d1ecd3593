import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { NAME } from "@platform/command-line/name";
import { needsPosix } from "@platform/test-support/machine";
import { temporaryFolder } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { run, startProgram } from "./start.ts";

describe("only the owner may read the database, its log and its copies", () => {
  beforeEach((context) => needsPosix(context, "file modes"));

  /** Returns the modes of the files, which a usual umask leaves readable for everybody. */
  const modesIn = async (folder: string): Promise<Record<string, string>> => {
    const names = (await readdir(folder)).filter((name) => name.includes(".db")).toSorted();
    const modes = names.map(async (name) => [name, ((await stat(join(folder, name))).mode & 0o777).toString(8)]);
    return Object.fromEntries(await Promise.all(modes)) as Record<string, string>;
  };
  const ALL = { "things.db": "600", "things.db-shm": "600", "things.db-wal": "600" };

  test("if the service creates them", async () => {
    const folder = await temporaryFolder();
    await startProgram(folder);
    expect(await modesIn(join(folder, "data"))).toEqual(ALL);
  });

  test("if a killed process left them and others could read them, and if they are behind a symbolic link", async () => {
    const folder = await temporaryFolder();
    const data = join(folder, "data");
    const killed = await startProgram(folder);
    await killed.stop("SIGKILL");
    for (const name of Object.keys(ALL)) await chmod(join(data, name), 0o664);
    const program = await startProgram(folder);
    expect(await modesIn(data)).toEqual(ALL);
    await program.stop();

    const [link, target] = [join(folder, "link.db"), join(folder, "else/things.db")];
    await mkdir(join(folder, "else"));
    await symlink(target, link);
    expect((await run(["migrate"], { DATABASE_URL: `file:${link}` })).code).toBe(0);
    expect(await modesIn(join(folder, "else"))).toEqual({ "things.db": "600" });
  });

  test("during a backup, and after a restore for the replaced file too", async () => {
    const folder = await temporaryFolder();
    const [path, copy] = [join(folder, "things.db"), join(folder, "copy.db")];
    const env = { DATABASE_URL: `file:${path}` };
    await run(["migrate"], env);
    const file = new Sqlite(path);
    onTestFinished(() => void file.close());
    file.exec(
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000) " +
        "insert into things (name) select 'Rex' from n",
    );
    const copied = run(["backup", copy], env);
    const partial = `${copy}.${NAME}-partial`;
    await expect.poll(() => existsSync(partial), { interval: 1 }).toBe(true);
    expect((await stat(partial)).mode & 0o777).toBe(0o600);
    expect((await copied).code).toBe(0);
    file.close();
    await chmod(path, 0o644);
    expect((await run(["restore", copy], env)).code).toBe(0);
    const modes = await modesIn(folder);
    expect(Object.keys(modes)).toHaveLength(3); // the database, the backup and the replaced file
    expect(new Set(Object.values(modes))).toEqual(new Set(["600"]));
  });
});
