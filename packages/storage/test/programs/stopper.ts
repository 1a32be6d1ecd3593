import { openStorage } from "../../src/open-storage.ts";

/** Opens a storage, lets its writes wait for one more minute, and closes it: `stopper.ts <url>`. */
const storage = openStorage(process.argv[2]!);
await storage.open();
storage.stopWaiting(60_000);
await storage.destroy();
