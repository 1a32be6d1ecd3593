import { withProgress } from "@platform/command-line";
import type { Command } from "commander";
import { examine } from "./doctor.ts";

/** Adds `doctor` to the command line. Its exit code is 1 if a check has a remedy. */
export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("check settings, versions, service, database, migrations, keys, disk and backups, and print remedies")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: true }) => {
      const findings = await withProgress((report) => {
        report("Examining the service and its database");
        return examine(process.env);
      });
      if (findings.some(({ remedy }) => remedy !== undefined)) process.exitCode = 1;
      if (json) return console.log(JSON.stringify(findings, null, 2));
      for (const { check, found, remedy } of findings) {
        console.log(`${remedy === undefined ? "ok   " : "wrong"}  ${check.padEnd(10)}  ${found}`);
        if (remedy !== undefined) console.log(`       ${remedy}`);
      }
    });
}
