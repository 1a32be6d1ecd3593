import { Session } from "node:inspector/promises";
import { type Contender, serveContender } from "./contenders.ts";
import type { PeerDatabase } from "./peers/peer.ts";

/** The requests to the process of a contender. */
export type Question = "CPU seconds" | "memory in MB" | "process id" | "start profile" | "end profile";

/** Runs one contender in this process: sends its port, then replies to questions. */
const [contender, database, service] = process.argv.slice(2).map((text) => JSON.parse(text) as unknown);
process.send!(await serveContender(contender as Contender, database as PeerDatabase, service as string));

const session = new Session();
session.connect();
const answers: Record<Question, () => unknown> = {
  "CPU seconds": () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  },
  "process id": () => process.pid,
  "memory in MB": () => process.memoryUsage().rss / 1e6,
  "start profile": async () => {
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    return true;
  },
  "end profile": async () => (await session.post("Profiler.stop")).profile,
};
process.on("message", (question: Question) => {
  void Promise.resolve(answers[question]()).then((answer) => process.send!(answer));
});
process.on("disconnect", () => process.exit());
