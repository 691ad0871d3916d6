import { createSocket } from "node:dgram";
import { once, setMaxListeners } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLookup } from "./resolver.js";

const TYPE_A = 1;

/** Starts a name server that resolves `good.example` to 192.0.2.7 and never responds for names that begin with `silent`. */
async function startNameServer() {
  const socket = createSocket("udp4");
  let asked = 0;
  socket.on("message", (query, { port, address }) => {
    asked += 1;
    // The name follows the 12-byte header and precedes type and class (RFC 1035 section 4.1).
    const nameEnd = query.indexOf(0, 12);
    const name = query.subarray(13, nameEnd).toString("latin1");
    if (name.startsWith("silent")) return;
    const isKnown = name.startsWith("good");
    const hasAddress = isKnown && query.readUInt16BE(nameEnd + 1) === TYPE_A;
    const question = query.subarray(0, nameEnd + 5);
    const answer = Buffer.concat([
      question,
      hasAddress ? Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, 192, 0, 2, 7]) : Buffer.alloc(0),
    ]);
    answer.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2);
    answer.writeUInt16BE(hasAddress ? 1 : 0, 6);
    answer.fill(0, 8, 12);
    socket.send(answer, port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    server: `127.0.0.1:${socket.address().port}`,
    asked: () => asked,
    stop: () => socket.close(),
  };
}

describe("the resolver", () => {
  let names: Awaited<ReturnType<typeof startNameServer>>;
  let folder: string;

  beforeAll(async () => {
    names = await startNameServer();
    folder = mkdtempSync(join(tmpdir(), "asi-hosts-"));
    writeFileSync(
      join(folder, "hosts"),
      "# the machine's own\n10.0.0.5\tintranet  Intranet.example # comment\n::1 six.example\n10.0.0.6 intranet\n",
    );
  });

  afterAll(() => {
    names.stop();
    rmSync(folder, { recursive: true });
  });

  const lookup = () => createLookup({ servers: [names.server], hostsFile: join(folder, "hosts") });

  it("resolves names from the hosts file, localhost, and names known to the name servers", async () => {
    const find = lookup();
    expect(await find("INTRANET.example")).toEqual(["10.0.0.5"]);
    expect(await find("intranet")).toEqual(["10.0.0.5", "10.0.0.6"]);
    expect(await find("six.example.")).toEqual(["::1"]);
    expect(await find("a.localhost")).toEqual(["127.0.0.1", "::1"]);
    expect(await find("good.example")).toEqual(["192.0.2.7"]);
    await expect(find("unknown.example")).rejects.toMatchObject({ code: "ENOTFOUND" });
  });

  it("is not delayed for one account by unanswered names of another account", async () => {
    const find = lookup();
    const left = new AbortController();
    setMaxListeners(0, left.signal);
    const before = names.asked();
    const silent = Array.from({ length: 50 }, (_, index) =>
      find(`silent-${index}.example`, { account: 1, signal: left.signal }),
    );
    let ended = 0;
    for (const one of silent) one.catch(() => ended++);
    const outcomes = Promise.allSettled(silent);
    expect(await find("good.example", { account: 2 })).toEqual(["192.0.2.7"]);
    expect(ended).toBe(0);
    // Only a few of the 50 were queried.
    expect(names.asked() - before).toBeLessThan(20);
    left.abort();
    expect(new Set((await outcomes).map(({ status }) => status))).toEqual(new Set(["rejected"]));
  });

  it("does not treat other names as localhost", async () => {
    const find = lookup();
    expect(await find("LOCALHOST.")).toEqual(["127.0.0.1", "::1"]);
    await expect(find("notlocalhost")).rejects.toMatchObject({ code: "ENOTFOUND" });
    await expect(find("localhost.example")).rejects.toMatchObject({ code: "ENOTFOUND" });
  });

  it("works without a hosts file", async () => {
    const find = createLookup({ servers: [names.server], hostsFile: join(folder, "missing") });
    expect(await find("good.example")).toEqual(["192.0.2.7"]);
  });

  it("looks up all names of an account, with a limit on concurrent lookups", async () => {
    const find = lookup();
    const found = await Promise.all(
      Array.from({ length: 9 }, (_, index) => find(`good-${index}.example`, { account: 1 })),
    );
    expect(found).toEqual(Array(9).fill(["192.0.2.7"]));
  });

  it("removes abandoned names from the queue and continues with the next one", async () => {
    const find = lookup();
    const [first, waiting] = [new AbortController(), new AbortController()];
    const silent = Array.from({ length: 4 }, (_, index) =>
      find(`silent-${index}.example`, { account: 1, signal: first.signal }),
    );
    const outcomes = Promise.allSettled(silent);
    const left = find("good.example", { account: 1, signal: waiting.signal });
    const behind = find("good.example", { account: 1 });
    waiting.abort(new Error("nobody waits"));
    await expect(left).rejects.toThrow("nobody waits");
    first.abort();
    await outcomes;
    expect(await behind).toEqual(["192.0.2.7"]);
  });

  it("sends no query if the signal is aborted before the lookup starts", async () => {
    const before = names.asked();
    const signal = AbortSignal.abort(new Error("too late"));
    await expect(lookup()("good.example", { signal })).rejects.toThrow("too late");
    expect(names.asked()).toBe(before);
  });

  it("stops its queries when the signal is aborted", async () => {
    const before = names.asked();
    const asked = lookup()("silent.example", { signal: AbortSignal.timeout(100) });
    await expect(asked).rejects.toMatchObject({ name: "TimeoutError" });
    // Exactly one query per address family.
    expect(names.asked() - before).toBeLessThanOrEqual(2);
  });
});
