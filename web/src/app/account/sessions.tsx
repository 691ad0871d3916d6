import { type Client, type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import type { Settings } from "../../view/settings.js";
import { announce } from "../parts/announcements.js";
import { List, useList } from "../parts/list.js";
import { ProblemCard } from "../parts/problem.js";
import { dayAndTime } from "../parts/when.js";

const PER_PAGE = 8;

/** Browsers name themselves after their predecessors: the first name that fits is the right one. */
const BROWSERS = [
  ["Edg/", "Edge"],
  ["OPR/", "Opera"],
  ["Firefox/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
] as const;

const SYSTEMS = [
  ["Windows", "Windows"],
  ["Android", "Android"],
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Mac OS", "macOS"],
  ["CrOS", "ChromeOS"],
  ["Linux", "Linux"],
] as const;

/** The browser in a `User-Agent`, as people call it. */
export function browserName(userAgent: string): string {
  const found = (names: readonly (readonly [string, string])[]) =>
    names.find(([part]) => userAgent.includes(part))?.[1];
  const browser = found(BROWSERS) ?? "A browser";
  const system = found(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** Where the account is signed in, each of which can be ended. */
export function Sessions({ client, settings }: { client: Client; settings: Settings }) {
  const [failed, setFailed] = useState<unknown>(null);
  const load = (page: number, signal?: AbortSignal) =>
    unwrap(
      client.GET("/session/", {
        params: { query: { page, limit: PER_PAGE } },
        ...(signal === undefined ? {} : { signal }),
      }),
    );
  const list = useList("sessions", load);
  const end = async (id: number) => {
    setFailed(null);
    try {
      await unwrap(client.DELETE("/session/{session}/", { params: { path: { session: id } } }));
      announce("The session is ended.");
      list.reload();
    } catch (error) {
      setFailed(error);
    }
  };
  const nameOf = ({ browser, application }: Resource["Session"]) =>
    browser === null ? application : browserName(browser);
  return (
    <section class="panel padded">
      <h2>Where you are signed in</h2>
      {failed === null ? null : <ProblemCard title="The session was not ended." error={failed} />}
      <List list={list} load={load} what="the sessions" empty={null}>
        {(sessions) => (
          <ul class="sessions">
            {sessions.map((one) => (
              <li key={one.id}>
                <div>
                  <strong>{nameOf(one)}</strong>
                  {one.is_current ? <span class="muted"> (this one)</span> : null}
                  <p class="note">Since {dayAndTime(Date.parse(one.signed_in_at), settings)}</p>
                </div>
                {one.is_current ? null : (
                  <button
                    type="button"
                    aria-label={`End the session of ${nameOf(one)} since ${dayAndTime(Date.parse(one.signed_in_at), settings)}`}
                    onClick={() => end(one.id)}
                  >
                    End
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
      </List>
    </section>
  );
}
