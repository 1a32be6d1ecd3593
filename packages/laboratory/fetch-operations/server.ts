import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const body = '{"id":1,"title":"Emma","author":"Jane Austen"}';
const server = createServer((_request, response) => {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length }).end(body);
});
server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));
