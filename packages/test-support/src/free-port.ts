import { once } from "node:events";
import { createServer } from "node:net";

/** Returns a free port below the range of ephemeral ports, so that the system does not assign it to another program. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
}
