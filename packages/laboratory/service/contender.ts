import { type Contender, serveContender } from "./contenders.ts";
import { cpuSecondsOf, megabytesOf } from "@platform/test-support/machine";
import type { PeerDatabase } from "../peers/service/peer.ts";

/** The requests to the process of a contender. */
export type Question = "CPU seconds" | "memory in MB" | "process id" | "start a profile" | "profile";

// Before the start, so that neither this process nor a native peer outlives a bench that fails meanwhile.
process.once("SIGTERM", () => process.exit());
process.on("disconnect", () => process.exit());

/** Runs one contender in this process: sends its port, then replies to questions. */
const [contender, database, service] = process.argv.slice(2).map((text) => JSON.parse(text) as unknown);
const { port, pid } = await serveContender(contender as Contender, database as PeerDatabase, service as string);
process.send!(port);
const isOwn = pid === process.pid;

const answers: Record<Question, () => unknown> = {
  "CPU seconds": () => {
    if (!isOwn) return cpuSecondsOf(pid);
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  },
  "process id": () => pid,
  "memory in MB": () => (isOwn ? process.memoryUsage().rss / 1e6 : megabytesOf(pid)),
  // Loaded when it is needed, because the start of a contender is measured too.
  "start a profile": () => import("./profile.ts").then(({ startProfile }) => startProfile()).then(() => "started"),
  profile: () => import("./profile.ts").then(({ endProfile }) => endProfile()),
};
process.on("message", (question: Question) => {
  void Promise.resolve(answers[question]()).then((answer) => process.send!(answer));
});
