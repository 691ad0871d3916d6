/**
 * A fastify server with a single route in a separate process. It is the baseline of Node.js on this machine for a
 * response of the same size. Argument: the file with the body. Sends its address, and ends with its parent process.
 */
import { readFileSync } from "node:fs";
import fastify from "fastify";

const body = readFileSync(process.argv[2] ?? "", "utf8");
const app = fastify();
app.get("/", async (_request, reply) => reply.type("application/json; charset=utf-8").send(body));
process.once("disconnect", () => process.exit(0));
process.send?.(await app.listen({ host: "127.0.0.1", port: 0 }));
