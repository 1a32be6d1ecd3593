/**
 * The shared command line, for programs that may run before an install. Without the installed packages, prints the remedy and
 * exits with 1.
 */
export const { createProgram, PNPM } = await import("@openapi-operations/command-line").catch(() => {
  console.error("The packages are not installed. Run `npx -y pnpm@12.21.0 install` first.");
  return process.exit(1);
});
