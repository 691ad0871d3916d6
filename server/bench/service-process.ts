/**
 * The service in a separate process of the benchmark. Sends its address, runs commands, and ends with its parent process.
 * Argument: URL of a PostgreSQL database; none for the embedded one.
 */
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { transact } from "../src/domain/change/change.js";
import { vacuumTable } from "../src/store/embedded/vacuum.js";
import { sqlClientOf, storeSamples } from "../src/store/samples/index.js";
import type { CommandName, Commands, LoadFigures, Message, Question } from "./commands.js";
import { measureComputedData } from "./computed-data.js";
import { openScene, type Scene } from "./scene.js";
import { inBatches, RESTLESS_SAMPLES, restlessDays, SESSION_SAMPLES, sessionOfDay } from "./sessions.js";
import { forgetFigures, prepareSquad } from "./squad-scene.js";

const send = (message: Message) => process.send?.(message);
const whyOf = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));

async function load(scene: Scene, { sessions }: Commands["load"]["takes"]): Promise<LoadFigures> {
  const { ctx, store } = scene;
  const restlessDevice = await scene.addDevice("RESTLESS");
  for (const day of restlessDays()) {
    await transact(ctx, "bench", ({ queries }) =>
      storeSamples(sqlClientOf(queries), restlessDevice, inBatches(day)),
    );
  }
  const device = await scene.addDevice("DAILY");
  const sessionMs: number[] = [];
  for (let day = 0; day < sessions; day++) {
    const session = await sessionOfDay(day);
    const begin = performance.now();
    const { stored } = await transact(ctx, "bench", ({ queries }) =>
      storeSamples(sqlClientOf(queries), device, inBatches(session)),
    );
    sessionMs.push(performance.now() - begin);
    if (stored !== SESSION_SAMPLES) throw new Error(`day ${day}: ${stored} samples stored`);
  }
  // PostgreSQL would do this automatically within a minute, during a measurement. In the embedded database, the job of the load
  // does it.
  if (store.database.kind === "postgres") await store.database.pool.query("VACUUM (ANALYZE) sample_chunks");
  else await vacuumTable(ctx, "sample_chunks");
  const { rows } = await store.database.pool.query("SELECT pg_total_relation_size('sample_chunks') AS bytes");
  return {
    device,
    restlessDevice,
    sessionMs,
    samples: sessions * SESSION_SAMPLES + RESTLESS_SAMPLES,
    bytesOnDisk: Number(rows[0]?.bytes),
  };
}

const inMemory = new Map<string, Buffer>();

/** Adds responses from memory in front of the service: same process, same server, same connections. */
function serveFromMemory({ service }: Scene): void {
  const { server } = service.app;
  const listeners = server.listeners("request") as ((req: IncomingMessage, res: ServerResponse) => void)[];
  server.removeAllListeners("request");
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const bytes = inMemory.get(request.url ?? "");
    if (bytes === undefined) {
      for (const listener of listeners) listener.call(server, request, response);
      return;
    }
    // Read the body of the request first.
    request.resume().once("end", () => {
      response.writeHead(200, { "Content-Type": "application/json", "Content-Length": bytes.length });
      response.end(bytes);
    });
  });
}

const commands: {
  [Name in CommandName]: (scene: Scene, takes: Commands[Name]["takes"]) => Promise<Commands[Name]["gives"]>;
} = {
  load,
  async serve(_scene, { path, file }) {
    inMemory.set(path, readFileSync(file));
    return null;
  },
  computedData: measureComputedData,
  squad: prepareSquad,
  forgetFigures,
};

const answer = <Name extends CommandName>(scene: Scene, name: Name, takes: Commands[Name]["takes"]) =>
  commands[name](scene, takes);

// The parent process has ended or requests the end. It removes the files.
process.on("disconnect", () => process.exit(0));

try {
  const scene = await openScene(process.argv[2] ?? null);
  serveFromMemory(scene);
  process.on("message", async ({ id, name, takes }: Question) => {
    try {
      send({ kind: "answer", id, gives: await answer(scene, name, takes as never) });
    } catch (error) {
      send({ kind: "failed", id, why: whyOf(error) });
    }
  });
  send({ kind: "ready", url: scene.url, token: scene.token });
} catch (error) {
  send({ kind: "failed", id: null, why: whyOf(error) });
}
