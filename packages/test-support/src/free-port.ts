import { once } from "node:events";
import { createServer } from "node:net";

/** A port of this machine that is free, and stays so: below the range from which systems take one for whoever asks for any. */
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
