import { type Client, type Resource, unwrap } from "asi-client";
import { useEffect, useRef, useState } from "preact/hooks";
import { AwayError } from "../connection.js";
import { useReturn } from "../parts/request.js";
import { type Computed, computedOf } from "./computed.js";

/** The known computed data of a time frame. */
export interface ComputedState {
  /** The last computed data. They stay during a new computation. */
  computed: Computed | null;
  /** Whether a request is in progress. The service may be computing the data. */
  isWaiting: boolean;
  error: unknown;
}

export const NOTHING_YET: ComputedState = { computed: null, isWaiting: true, error: null };

/** Requests the data of a time frame. The service recomputes stale data before it responds. @throws ApiError */
async function loadComputed(client: Client, timeframe: number, signal: AbortSignal): Promise<Computed> {
  const params = { path: { timeframe }, query: { with_definition: true } };
  return computedOf(
    await unwrap(client.GET("/api/v1/timeframes/{timeframe}/computed-data/", { params, signal })),
  );
}

/** Number of parallel requests. The service computes two in parallel for one request. */
const AT_A_TIME = 2;

/** Returns a text that changes with the data of a time frame. It omits the name, which the page stores in the parameters. */
export function versionOf({
  id,
  start_time,
  end_time,
  params: { name: _, ...params },
  device,
  athlete,
}: Resource["Timeframe"]): string {
  return JSON.stringify([id, start_time, end_time, params, device, athlete]);
}

/**
 * Loads the computed data of time frames, again when a time frame changes.
 * @param attempt a different number requests all data again
 */
export function useComputed(
  client: Client,
  frames: readonly Resource["Timeframe"][],
  attempt: number,
): ReadonlyMap<number, ComputedState> {
  const [states, setStates] = useState<ReadonlyMap<number, ComputedState>>(new Map());
  const known = useRef(new Map<number, string>());
  const returned = useReturn([...states.values()].find(({ error }) => error instanceof AwayError)?.error);
  const asked = frames.map((frame) => `${attempt} ${versionOf(frame)}`);

  useEffect(() => {
    const abort = new AbortController();
    const update = (id: number, change: Partial<ComputedState>) => {
      if (abort.signal.aborted) return;
      setStates((before) => new Map(before).set(id, { ...(before.get(id) ?? NOTHING_YET), ...change }));
    };
    const waiting = frames.flatMap(({ id }, i) =>
      known.current.get(id) === asked[i] ? [] : { id, version: asked[i] as string },
    );
    for (const { id } of waiting) update(id, { isWaiting: true, error: null });
    const next = async (): Promise<void> => {
      const one = waiting.shift();
      if (one === undefined || abort.signal.aborted) return;
      try {
        const computed = await loadComputed(client, one.id, abort.signal);
        if (!abort.signal.aborted) known.current.set(one.id, one.version);
        update(one.id, { computed, isWaiting: false });
      } catch (error) {
        update(one.id, { isWaiting: false, error });
      }
      return next();
    };
    for (let i = 0; i < AT_A_TIME; i++) next();
    return () => abort.abort();
  }, [client, asked.join(), returned]);

  return states;
}
