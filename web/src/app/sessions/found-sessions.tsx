import type { Client } from "asi-client";
import type { Zone } from "../../view/settings.js";
import { useFirstRows } from "../parts/first-rows.js";
import { Nothing } from "../parts/nothing.js";
import { Records } from "../parts/records.js";
import { Requested, useRequest } from "../parts/request.js";
import { useTyped } from "../parts/use-typed.js";
import type { Known, SquadSession } from "./load-session.js";
import { kindName, playerCount, timesOf } from "./session-words.js";

const PER_REQUEST = 100;

interface Props {
  client: Client;
  known: Known;
  /** The text of the search. */
  typed: string;
  zone: Zone;
}

/** The sessions of all months that match a text, latest first. The words of the text are in their name, place, squad or kind. */
export function FoundSessions({ client, known, typed, zone }: Props) {
  const wanted = useTyped(typed);
  const request = useRequest(`sessions with ${wanted}`, async (signal) => {
    const sessions: SquadSession[] = [];
    const params = { query: { limit: PER_REQUEST, search: wanted } };
    for await (const one of client.list("/api/v2/sessions/", { params, signal })) sessions.push(one);
    return sessions.sort((a, b) => b.start_time.localeCompare(a.start_time));
  });
  const [rows, more] = useFirstRows(request.data);
  return (
    <Requested request={request} what="the sessions">
      {(found) => {
        if (found.length === 0)
          return (
            <Nothing title={`No session has “${wanted}” in its name, place, squad or kind.`}>
              <p>Search for something else, or clear the search.</p>
            </Nothing>
          );
        return (
          <div class="panel padded">
            <Records
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { name: "Name", of: ({ id, name }) => <a href={`#/sessions/${id}`}>{name}</a> },
                { name: "When", of: (session) => timesOf(session, zone) },
                { name: "Kind", of: ({ kind }) => kindName(kind) },
                { name: "Squad", of: ({ squad }) => known.squads.get(squad) },
                { name: "Players", of: (session) => playerCount(session, known.members) },
              ]}
            />
            {more}
          </div>
        );
      }}
    </Requested>
  );
}
