import type { AddressInfo } from "node:net";
import { type ContenderName, CONTENDERS } from "./contenders.ts";
import { operationsOf } from "./description.ts";
import { FORMS } from "./forms-document.ts";

/** One library that serves the forms, in a process of its own: sends its port, and its CPU time when asked. */
const [contender] = process.argv.slice(2) as [ContenderName];
const reply = () => ({ status: 200, contentType: "application/json", body: { sid: "SM1" } });
const { server } = await CONTENDERS[contender](structuredClone(FORMS), operationsOf(FORMS), reply);
process.send!((server.address() as AddressInfo).port);
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send!((user + system) / 1e6);
});
process.on("disconnect", () => process.exit());
