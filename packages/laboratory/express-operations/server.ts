import type { AddressInfo } from "node:net";
import { type Contender, contenders } from "./contenders.ts";
import { type DocumentName, documentNamed } from "./documents.ts";

/** One contender with one document, in a process of its own: says its port; when asked, its heap or the time it took. */
const [contender, name] = process.argv.slice(2) as [Contender, DocumentName];
const app = await contenders[contender](documentNamed(name));
const server = app.listen(0, "127.0.0.1", () => {
  process.send!((server.address() as AddressInfo).port);
});
process.on("message", (question: "heap in MB" | "CPU seconds") => {
  if (question === "heap in MB") globalThis.gc!();
  const { user, system } = process.cpuUsage();
  process.send!((question === "heap in MB" ? process.memoryUsage().heapUsed : user + system) / 1e6);
});
process.on("disconnect", () => process.exit());
