import { ApiError, type Client, fileNameOf, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { offerFile } from "../../parts/offer-file.js";
import { confirmation, OwnPassword } from "../account/own-password.js";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { announce } from "../parts/announcements.js";
import { Dialog } from "../parts/dialog.js";
import { Form } from "../parts/form.js";

interface Props {
  client: Client;
  athlete: { id: number; name: string };
  /** Called after the service has erased the athlete. */
  onErased: () => void;
}

/** The rights of the person to a copy of all data and to erasure. */
export function PersonalData({ client, athlete: { id, name }, onErased }: Props) {
  const [isErasing, setErasing] = useState(false);
  const problem = useProblem();
  const params = { path: { athlete: id } };

  const saveCopy = async () => {
    const { data, error, response } = await client.GET("/api/v1/athletes/{athlete}/export/", {
      params,
      parseAs: "blob",
    });
    if (data === undefined) throw new ApiError(response, error);
    offerFile(data, fileNameOf(response) ?? `athlete-${id}.zip`);
    return "The copy is saved.";
  };

  return (
    <section class="panel padded">
      <h2>All data about {name}</h2>
      <p class="note">
        A copy is a zip archive of JSON and CSV files. It contains the profile, permissions, time frames,
        computed data and samples. Erase the data only if the person asks for it.
      </p>
      <ProblemOf problem={problem} />
      <div class="form-buttons">
        <Action
          problem={problem}
          failed="The copy could not be made."
          busy="Making the copy…"
          work={saveCopy}
        >
          Save a copy
        </Action>
        <button type="button" class="warns" onClick={() => setErasing(true)}>
          Erase all data…
        </button>
      </div>
      {isErasing ? (
        <Dialog title={`Erase all data about ${name}?`} onClose={() => setErasing(false)}>
          <p>
            This deletes the account with its profile, permissions, time frames and figures, and the log of
            the service no longer says who it was. Positions that a device recorded stay with the device,
            without the name, unless the person who runs the service has decided otherwise. Backups are not
            changed. This cannot be undone. Save a copy first if you may need it.
          </p>
          <Form
            action="Erase all data"
            isDangerous
            onCancel={() => setErasing(false)}
            onSubmit={async (values) => {
              const body = confirmation(values);
              await unwrap(client.POST("/api/v1/athletes/{athlete}/erase/", { params, body }));
              announce(`All data about ${name} are erased.`);
              onErased();
            }}
          >
            <OwnPassword client={client} isFirst />
          </Form>
        </Dialog>
      ) : null}
    </section>
  );
}
