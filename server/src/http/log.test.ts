import { Writable } from "node:stream";
import multipart from "@fastify/multipart";
import Fastify from "fastify";
import { expect, it } from "vitest";
import { logOptions } from "./log.js";

it("the log of a form at its most talkative holds no token", async () => {
  let log = "";
  const stream = new Writable({
    write(chunk, _encoding, done) {
      log += chunk;
      done();
    },
  });
  const app = Fastify({ logger: { ...logOptions("trace"), stream } });
  await app.register(multipart);
  app.post("/", async (request) => {
    for await (const _part of request.parts());
    return "";
  });
  await app.inject({
    method: "POST",
    url: "/",
    headers: { authorization: "Bearer a-token", "content-type": "multipart/form-data; boundary=b" },
    payload: "--b--\r\n",
  });
  expect(log).toContain("busboy");
  expect(log).not.toContain("a-token");
});
