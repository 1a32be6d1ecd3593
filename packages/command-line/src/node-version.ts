/**
 * Ends the process if its Node is too old. It imports nothing and runs first, so that an older Node gets this far. Other modules are
 * compiled once for all processes, which halves the start of a program.
 */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 15)) {
  console.error(`Node ${process.versions.node} is too old: install Node 22.18 or newer, and repeat the command.`);
  process.exit(1);
}
process.getBuiltinModule("node:module").enableCompileCache();
