import type { AddressInfo } from "node:net";
import { contenders } from "./contenders.ts";
import { type DocumentName, documentNamed } from "./documents.ts";

/** One contender with one document, in a process of its own: says its port; when asked, its memory or the time it took. */
const [contender, name] = process.argv.slice(2) as [keyof typeof contenders, DocumentName];
const app = await contenders[contender](documentNamed(name));
const server = app.listen(0, "127.0.0.1", () => {
  process.send!((server.address() as AddressInfo).port);
});
const answers = {
  "heap in MB": () => {
    globalThis.gc!();
    return process.memoryUsage().heapUsed / 1e6;
  },
  "memory in MB": () => process.memoryUsage().rss / 1e6,
  "CPU seconds": () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  },
};
process.on("message", (question: keyof typeof answers) => void process.send!(answers[question]()));
process.on("disconnect", () => process.exit());
