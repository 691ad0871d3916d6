import { type Client, type Resource, unwrap } from "asi-client";
import type { Zone } from "../../view/settings.js";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { ListOf, useList } from "../parts/list.js";
import { dayAndTime } from "../parts/when.js";

const PER_PAGE = 8;

/** Browsers with their patterns, in order. The first match is the browser, because browsers also name their predecessors. */
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

/** Returns the common name of the browser in a `User-Agent`. */
export function browserName(userAgent: string): string {
  const found = (names: readonly (readonly [string, string])[]) =>
    names.find(([part]) => userAgent.includes(part))?.[1];
  const browser = found(BROWSERS) ?? "A browser";
  const system = found(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** The sessions of the account. The user can end each of them. */
export function Sessions({ client, zone }: { client: Client; zone: Zone }) {
  const problem = useProblem();
  const load = (query: { page: number; limit: number }, signal: AbortSignal) =>
    unwrap(client.GET("/session/", { params: { query }, signal }));
  const list = useList("sessions", load, PER_PAGE);
  const nameOf = ({ browser, application }: Resource["Session"]) =>
    browser === null ? application : browserName(browser);
  return (
    <section class="panel padded">
      <h2>Where you are signed in</h2>
      <ProblemOf problem={problem} />
      <ListOf list={list} what="the sessions" empty={null}>
        {(sessions) => (
          <ul class="sessions">
            {sessions.map((one) => {
              const since = dayAndTime(one.signed_in_at, zone);
              return (
                <li key={one.id}>
                  <div>
                    <strong>{nameOf(one)}</strong>
                    {one.is_current ? <span class="muted"> (this one)</span> : null}
                    <p class="note">Since {since}</p>
                  </div>
                  {one.is_current ? null : (
                    <Action
                      problem={problem}
                      failed="The session was not ended."
                      busy="Ending…"
                      label={`End the session of ${nameOf(one)} since ${since}`}
                      work={async () => {
                        const path = { page_session: one.id };
                        await unwrap(client.DELETE("/session/{page_session}/", { params: { path } }));
                        list.reload();
                        return "The session is ended.";
                      }}
                    >
                      End
                    </Action>
                  )}
                </li>
              );
            })}
          </ul>
        )}
      </ListOf>
    </section>
  );
}
