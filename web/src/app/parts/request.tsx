import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { AwayError, timesReturned } from "../connection.js";
import { ProblemCard } from "./problem.js";

/** The page does not announce shorter waits. */
export const SLOW_MS = 500;

/** Pauses between requests while the service computes. Each pause is twice as long as the previous one. */
export const FIRST_PAUSE_MS = 1000;
export const LONGEST_PAUSE_MS = 30_000;

/** Data of a view. */
export interface Loaded<Data> {
  /** The last loaded data. They stay while the page loads again. */
  data: Data | undefined;
  error: unknown;
  isLoading: boolean;
  /** Whether loading takes longer than half a second. */
  isSlow: boolean;
  /** Loads again. */
  reload: () => void;
  /** Replaces the data with the result of an operation. */
  replace: (data: Data) => void;
}

interface State<Data> {
  key: string;
  data: Data | undefined;
  error: unknown;
  isLoading: boolean;
  isSlow: boolean;
}

/**
 * Returns a number that changes when the service is available again after an outage. Only requests that failed because of the outage are
 * repeated.
 */
export function useReturn(error: unknown): number {
  const returned = timesReturned.value;
  const wanted = useRef(returned);
  if (error instanceof AwayError) wanted.current = returned;
  return wanted.current;
}

/**
 * Loads data when the view appears, when `key` changes, and when the service is available again.
 * @param key identifies the data; the hook ignores data for an earlier key
 * @param load called with a signal that is aborted when the view no longer needs the data
 */
export function useRequest<Data>(key: string, load: (signal: AbortSignal) => Promise<Data>): Loaded<Data> {
  const initial = { key, data: undefined, error: null, isLoading: true, isSlow: false };
  const [state, setState] = useState<State<Data>>(initial);
  const [attempt, setAttempt] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const returned = useReturn(state.error);

  useEffect(() => {
    const abort = new AbortController();
    const update = (change: Partial<State<Data>>) => {
      if (!abort.signal.aborted) {
        setState((before) => ({ ...(before.key === key ? before : { ...initial, key }), ...change }));
      }
    };
    update({ isLoading: true, isSlow: false });
    const timer = setTimeout(() => update({ isSlow: true }), SLOW_MS);
    latest
      .current(abort.signal)
      .then(
        (data) => update({ data, error: null, isLoading: false, isSlow: false }),
        (error: unknown) => update({ error, isLoading: false, isSlow: false }),
      )
      .finally(() => clearTimeout(timer));
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key, attempt, returned]);

  const reload = useCallback(() => setAttempt((before) => before + 1), []);
  const replace = useCallback(
    // ignores the result of an operation on earlier data
    (data: Data) => setState((before) => (before.key === key ? { ...before, data, error: null } : before)),
    [key],
  );
  return { ...(state.key === key ? state : { ...initial, key }), reload, replace };
}

/** Loads again, with increasing pauses, while the service computes. */
export function useReloads(
  { isLoading, reload }: Pick<Loaded<unknown>, "isLoading" | "reload">,
  isComputing: boolean,
): void {
  const pauseMs = useRef(FIRST_PAUSE_MS);
  useEffect(() => {
    if (!isComputing) pauseMs.current = FIRST_PAUSE_MS;
    if (!isComputing || isLoading) return;
    const timer = setTimeout(reload, pauseMs.current);
    pauseMs.current = Math.min(2 * pauseMs.current, LONGEST_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [isComputing, isLoading]);
}

interface Props<Data> {
  request: Loaded<Data>;
  /** Name of the data with an article, such as "the devices". */
  what: string;
  children: (data: Data) => ComponentChildren;
}

/** Shows the data, its loading state, or the error. Old data stay visible if a reload fails. */
export function Requested<Data>({ request, what, children }: Props<Data>) {
  const { data, error, isSlow, reload } = request;
  return (
    <>
      <p class="loading" role="status">
        {isSlow ? `Loading ${what}…` : null}
      </p>
      {error == null ? null : <ProblemCard title={`Could not load ${what}.`} error={error} retry={reload} />}
      {data === undefined ? null : children(data)}
    </>
  );
}
