import { type Client, type Resource, unwrap } from "asi-client";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Settings } from "../../view/settings.js";
import { announce } from "../parts/announcements.js";
import { List, useList } from "../parts/list.js";
import { Nothing } from "../parts/nothing.js";
import { ProblemCard } from "../parts/problem.js";
import { DELIVERY_STATES, eventWords, hasEnded, instantWords, outcomeOf, responseOf } from "./words.js";

type Delivery = Resource["WebhookDelivery"];

interface Props {
  client: Client;
  settings: Settings;
  path: { activity: number; webhook: number };
  /** Another number looks for new deliveries at once, of every state: one was made. */
  attempt: number;
  onDelivery: (delivery: Delivery) => void;
  /** Called when a delivery that was waited for has ended. */
  onEnd: () => void;
}

const PAGE = 25;
/** While a call is under way, or the next one is near. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;
const NEAR_MS = 30_000;

/** Whether something will happen to a delivery soon. */
const isSoon = (delivery: Delivery): boolean =>
  !hasEnded(delivery) &&
  (delivery.next_attempt_at === null || Date.parse(delivery.next_attempt_at) - Date.now() < NEAR_MS);

/** Calls back after a time, or when the page is seen again after that. @returns what stops it */
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

/** The calls of a webhook, the newest first, with their outcomes; follows those under way. */
export function DeliveryLog({ client, settings, path, attempt, onDelivery, onEnd }: Props) {
  const [state, setState] = useState("");
  const [problem, setProblem] = useState<unknown>(null);
  const zone = settings.zone.value;
  const load = (page: number, signal?: AbortSignal) =>
    unwrap(
      client.GET("/api/v1/activities/{activity}/webhooks/{webhook}/deliveries/", {
        params: {
          path,
          query: { page, limit: PAGE, ordering: "-created_at", ...(state === "" ? {} : { state }) },
        },
        ...(signal === undefined ? {} : { signal }),
      }),
    );
  const list = useList(`deliveries ${path.webhook} ${state}`, load);
  const { data, isLoading, reload } = list;

  // it grows while nothing ends, so that a receiver that is slow for long is not asked about every second
  const pauseMs = useRef(FIRST_PAUSE_MS);
  useEffect(() => {
    if (attempt === 0) return;
    pauseMs.current = FIRST_PAUSE_MS;
    setState("");
    reload();
  }, [attempt, reload]);

  const latest = useRef({ onDelivery, onEnd });
  latest.current = { onDelivery, onEnd };
  const waiting = useRef(new Set<number>());
  useEffect(() => {
    if (data === undefined || isLoading) return;
    let ended = false;
    for (const delivery of data.items) {
      latest.current.onDelivery(delivery);
      if (!hasEnded(delivery)) waiting.current.add(delivery.id);
      else if (waiting.current.delete(delivery.id)) ended = true;
    }
    if (ended) latest.current.onEnd();
    // to load again would take away what "Show more" has added
    if (data.items.length > PAGE || !data.items.some(isSoon)) return;
    return inVisiblePage(() => {
      pauseMs.current = Math.min(pauseMs.current * 1.5, LONGEST_PAUSE_MS);
      reload();
    }, pauseMs.current);
  }, [data, isLoading, reload]);

  const resend = async (delivery: number) => {
    setProblem(null);
    try {
      await unwrap(
        client.POST("/api/v1/activities/{activity}/webhooks/{webhook}/deliveries/{delivery}/resend/", {
          params: { path: { ...path, delivery } },
        }),
      );
      announce("The event is sent again.");
      waiting.current.add(delivery);
      pauseMs.current = FIRST_PAUSE_MS;
      reload();
    } catch (error) {
      setProblem(error);
    }
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
      {problem === null ? null : <ProblemCard title="The event could not be sent again." error={problem} />}
      <List
        list={list}
        load={load}
        what="the deliveries"
        empty={
          state === "" ? (
            <Nothing title="Nothing was sent yet">
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
          <table class="flowing deliveries">
            <thead>
              <tr>
                <th scope="col">Time</th>
                <th scope="col" class="text">
                  Event
                </th>
                <th scope="col" class="text">
                  Outcome
                </th>
                <th scope="col">Calls</th>
                <th scope="col" class="text">
                  Last response
                </th>
                <td />
              </tr>
            </thead>
            <tbody>
              {deliveries.map((delivery) => (
                <tr key={delivery.id}>
                  <th scope="row">{instantWords(delivery.created_at, zone)}</th>
                  <td class="text">
                    {eventWords(delivery.event)}
                    {delivery.data.timeframe_id === undefined ? null : (
                      <span class="unit"> {delivery.data.timeframe_id}</span>
                    )}
                  </td>
                  <td
                    class={`text ${delivery.state === "failed" ? "bad" : delivery.state === "delivered" ? "good" : ""}`}
                  >
                    {outcomeOf(delivery, zone)}
                  </td>
                  <td data-label="Calls">{delivery.attempts}</td>
                  <td class="text response">{responseOf(delivery)}</td>
                  <td class="action">
                    <button
                      type="button"
                      aria-label={`Send again: ${eventWords(delivery.event)} of ${instantWords(delivery.created_at, zone)}`}
                      disabled={!hasEnded(delivery) && delivery.attempts === 0}
                      onClick={() => resend(delivery.id)}
                    >
                      Send again
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </List>
    </section>
  );
}
