import { unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { List, SearchField, useList, useSettled } from "../parts/list.js";
import { Nothing } from "../parts/nothing.js";
import type { ViewProps } from "../view.js";

/** Webhooks belong to activities: here one is chosen. */
export function ActivityChoice({ client }: ViewProps) {
  const [search, setSearch] = useState("");
  const wanted = useSettled(search.trim());
  const load = (page: number, signal?: AbortSignal) =>
    unwrap(
      client.GET("/api/v1/activities/", {
        params: {
          query: { page, limit: 50, ordering: "name", ...(wanted === "" ? {} : { search: wanted }) },
        },
        ...(signal === undefined ? {} : { signal }),
      }),
    );
  const list = useList(`activities with webhooks ${wanted}`, load);
  return (
    <>
      <div class="view-head">
        <h1>Webhooks</h1>
        <SearchField label="Search activities" value={search} onInput={setSearch} />
      </div>
      <p class="note">
        A webhook is an address of yours that the service calls when an activity or its time frames change.
        Choose the activity.
      </p>
      <section class="panel padded" aria-label="Activities">
        <List
          list={list}
          load={load}
          what="the activities"
          empty={
            wanted === "" ? (
              <Nothing title="No activities yet">
                <p>
                  A webhook belongs to an activity. <a href="#/activities">Create an activity</a> first.
                </p>
              </Nothing>
            ) : (
              <Nothing title="No activity has that in its name">
                <p>Search for something else, or clear the search.</p>
              </Nothing>
            )
          }
        >
          {(activities) => (
            <ul class="choices">
              {activities.map(({ id, name }) => (
                <li key={id}>
                  <a href={`#/webhooks/${id}`}>{name}</a>
                </li>
              ))}
            </ul>
          )}
        </List>
      </section>
    </>
  );
}
