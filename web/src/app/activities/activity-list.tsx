import { unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.js";
import { List, SearchField, useList, useSettled } from "../parts/list.js";
import { Nothing } from "../parts/nothing.js";
import type { ViewProps } from "../view.js";
import { ActivityForm } from "./activity-form.js";
import { sportName } from "./names.js";

const PAGE = 50;

/** The activities of the manager. */
export function ActivityList({ client, account, go }: ViewProps) {
  const [search, setSearch] = useState("");
  const [isCreating, setCreating] = useState(false);
  const wanted = useSettled(search.trim());
  const load = (page: number, signal?: AbortSignal) =>
    unwrap(
      client.GET("/api/v1/activities/", {
        params: {
          query: { page, limit: PAGE, ordering: "name", ...(wanted === "" ? {} : { search: wanted }) },
        },
        ...(signal === undefined ? {} : { signal }),
      }),
    );
  const list = useList(`activities ${wanted}`, load);
  const create = (
    <button type="button" class="primary" onClick={() => setCreating(true)}>
      New activity…
    </button>
  );
  return (
    <>
      <div class="view-head">
        <h1>Activities</h1>
        <SearchField label="Search activities" value={search} onInput={setSearch} />
        {create}
      </div>
      <section class="panel padded" aria-label="Activities">
        <List
          list={list}
          load={load}
          what="the activities"
          empty={
            wanted === "" ? (
              <Nothing title="No activities yet">
                <p>
                  An activity is a match or a training. It has a time frame for each athlete and part of it,
                  such as the first half; for each of them distance, sprints and more are computed.
                </p>
                <p>
                  Choose <em>New activity</em> to begin.
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
            <table>
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col" class="text">
                    Sport
                  </th>
                </tr>
              </thead>
              <tbody>
                {activities.map(({ id, name, json }) => (
                  <tr key={id}>
                    <th scope="row" class="wrapped">
                      <a href={`#/activities/${id}`}>{name}</a>
                    </th>
                    <td class="text">{sportName(json.sport)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </List>
      </section>
      {isCreating ? (
        <Dialog title="New activity" onClose={() => setCreating(false)}>
          <ActivityForm
            client={client}
            owner={account.id}
            activity={null}
            onCancel={() => setCreating(false)}
            onDone={({ id }) => go(`/activities/${id}`)}
          />
        </Dialog>
      ) : null}
    </>
  );
}
