/** `node registry-server.ts <configuration>`: runs Verdaccio on a free port, and prints its URL. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { runServer } from "verdaccio";

const server = (await runServer(process.argv[2]!)) as Server;
server.listen(0, "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
