import { ApiError, type Client, type Resource, unwrap } from "asi-client";
import { useEffect, useRef } from "preact/hooks";
import { useKept } from "../../view/kept-state.js";
import type { Settings } from "../../view/settings.js";
import { athleteOf, frameName } from "../activities/names.js";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { ListOf, useList } from "../parts/list.js";
import { Nothing } from "../parts/nothing.js";
import { Records } from "../parts/records.js";
import { useRequest } from "../parts/request.js";
import { dayAndSecond } from "../parts/when.js";
import { DELIVERY_STATES, eventWords, hasEnded, outcomeOf, responseOf } from "./words.js";

type Delivery = Resource["WebhookDelivery"];

interface Props {
  client: Client;
  settings: Settings;
  path: { activity: number; webhook: number };
  /** A new number reloads the deliveries immediately, because the page has added one. */
  attempt: number;
  onDelivery: (delivery: Delivery) => void;
  /** Called when a pending delivery has ended. */
  onEnd: () => void;
}

const PAGE = 25;
/** Interval between reloads while a call is in progress or due soon, ms. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;
const NEAR_MS = 30_000;

/** Returns whether the state of a delivery will change soon. */
const isSoon = (delivery: Delivery): boolean =>
  !hasEnded(delivery) &&
  (delivery.next_attempt_at === null || Date.parse(delivery.next_attempt_at) - Date.now() < NEAR_MS);

/**
 * Calls back after a delay, or when the page becomes visible after the delay.
 * @returns a function that cancels the call
 */
function inVisiblePage(callBack: () => void, afterMs: number): () => void {
  const onChange = () => {
    if (!document.hidden) done();
  };
  const stop = () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", onChange);
  };
  const done = () => {
    stop();
    callBack();
  };
  const timer = setTimeout(() => {
    if (document.hidden) document.addEventListener("visibilitychange", onChange);
    else done();
  }, afterMs);
  return stop;
}

/** Returns the names of a time frame and its athlete, or an empty text if the time frame no longer exists. */
async function frameInWords(client: Client, timeframe: number, signal: AbortSignal): Promise<string> {
  try {
    const params = { path: { timeframe }, query: { with_athlete: true } };
    const frame = await unwrap(client.GET("/api/v1/timeframes/{timeframe}/", { params, signal }));
    return [frameName(frame), athleteOf(frame)].filter(Boolean).join(", ");
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return "";
    throw error;
  }
}

const DELETED = "timeframe-deleted";

/** Returns the time frames of deliveries, except for deleted ones. */
function framesOf(deliveries: readonly Delivery[]): number[] {
  const ids = new Set(deliveries.flatMap(({ data }) => data.timeframe_id ?? []));
  for (const { event, data } of deliveries) if (event === DELETED) ids.delete(data.timeframe_id ?? 0);
  return [...ids].sort((a, b) => a - b);
}

/** Loads the names of the time frames of deliveries, by id. Each name is requested once. */
function useFrameNames(
  client: Client,
  deliveries: readonly Delivery[] = [],
): ReadonlyMap<number, string> | undefined {
  const known = useRef(new Map<number, string>());
  const ids = framesOf(deliveries);
  return useRequest(`names ${ids.join()}`, async (signal) => {
    const unknown = ids.filter((id) => !known.current.has(id));
    const names = await Promise.all(unknown.map((id) => frameInWords(client, id, signal)));
    for (const [i, id] of unknown.entries()) known.current.set(id, names[i] ?? "");
    return known.current;
  }).data;
}

/** The calls to a webhook with their outcomes, newest first. The list is updated while calls are in progress. */
export function DeliveryLog({ client, settings, path, attempt, onDelivery, onEnd }: Props) {
  const [state, setState] = useKept("state", "");
  const problem = useProblem();
  const zone = settings.zone.value;
  const load = (query: { page: number; limit: number }, signal: AbortSignal) =>
    unwrap(
      client.GET("/api/v1/activities/{activity}/webhooks/{webhook}/deliveries/", {
        params: { path, query: { ...query, ordering: "-created_at", ...(state === "" ? {} : { state }) } },
        signal,
      }),
    );
  const list = useList(`deliveries ${path.webhook} ${state}`, load, PAGE);
  const { data, isLoading, reload } = list;
  const names = useFrameNames(client, data?.results);

  // The pause increases while no delivery ends. A slow receiver then does not cause a request every second.
  const pauseMs = useRef(FIRST_PAUSE_MS);
  useEffect(() => {
    if (attempt === 0) return;
    pauseMs.current = FIRST_PAUSE_MS;
    setState("");
    reload();
  }, [attempt, reload, setState]);

  const latest = useRef({ onDelivery, onEnd });
  latest.current = { onDelivery, onEnd };
  const waiting = useRef(new Set<number>());
  useEffect(() => {
    if (data === undefined || isLoading) return;
    let ended = false;
    for (const delivery of data.results) {
      latest.current.onDelivery(delivery);
      if (!hasEnded(delivery)) waiting.current.add(delivery.id);
      else if (waiting.current.delete(delivery.id)) ended = true;
    }
    if (ended) latest.current.onEnd();
    // a reload would remove the deliveries that "Show more" has added
    if (data.results.length > PAGE || !data.results.some(isSoon)) return;
    return inVisiblePage(() => {
      pauseMs.current = Math.min(pauseMs.current * 1.5, LONGEST_PAUSE_MS);
      reload();
    }, pauseMs.current);
  }, [data, isLoading, reload]);

  const resend = async (delivery: number) => {
    await unwrap(
      client.POST("/api/v1/activities/{activity}/webhooks/{webhook}/deliveries/{delivery}/resend/", {
        params: { path: { ...path, delivery } },
      }),
    );
    waiting.current.add(delivery);
    pauseMs.current = FIRST_PAUSE_MS;
    reload();
    return "The event is sent again.";
  };

  return (
    <section class="panel padded" aria-labelledby="log-title">
      <div class="section-head">
        <h2 id="log-title">Deliveries</h2>
        <div class="buttons">
          <label class="field">
            Show
            <select value={state} onChange={({ currentTarget }) => setState(currentTarget.value)}>
              <option value="">all</option>
              {DELIVERY_STATES.map(([value, words]) => (
                <option key={value} value={value}>
                  {words.toLowerCase()}
                </option>
              ))}
            </select>
          </label>
          <button type="button" onClick={reload}>
            Refresh
          </button>
        </div>
      </div>
      <ProblemOf problem={problem} />
      <ListOf
        list={list}
        what="the deliveries"
        empty={
          state === "" ? (
            <Nothing title="No deliveries yet">
              <p>
                Choose <em>Test</em> to call the receiver now, or change the activity.
              </p>
            </Nothing>
          ) : (
            <Nothing title="No such delivery">
              <p>Show all to see the others.</p>
            </Nothing>
          )
        }
      >
        {(deliveries) => (
          <Records
            rows={deliveries}
            keyOf={({ id }) => id}
            columns={[
              { name: "Time", of: ({ created_at }) => dayAndSecond(created_at, zone) },
              {
                name: "Event",
                of: ({ event, data: { timeframe_id } }) => (
                  <>
                    {eventWords(event)}
                    {timeframe_id === undefined ? null : (
                      <span class="unit">
                        {" "}
                        {[names?.get(timeframe_id), timeframe_id].filter(Boolean).join(", ")}
                      </span>
                    )}
                  </>
                ),
              },
              {
                name: "Outcome",
                of: (delivery) => (
                  <span class={OUTCOME_CLASSES[delivery.state] ?? ""}>{outcomeOf(delivery, zone)}</span>
                ),
              },
              { name: "Calls", of: ({ attempts }) => attempts },
              { name: "Last response", of: responseOf, class: "response" },
              {
                name: "",
                class: "action",
                of: (delivery) => (
                  <Action
                    problem={problem}
                    failed="The event could not be sent again."
                    busy="Sending…"
                    label={`Send again: ${eventWords(delivery.event)} of ${dayAndSecond(delivery.created_at, zone)}`}
                    disabled={!hasEnded(delivery) && delivery.attempts === 0}
                    work={() => resend(delivery.id)}
                  >
                    Send again
                  </Action>
                ),
              },
            ]}
          />
        )}
      </ListOf>
    </section>
  );
}

const OUTCOME_CLASSES: Partial<Record<Delivery["state"], string>> = { failed: "bad", delivered: "good" };
