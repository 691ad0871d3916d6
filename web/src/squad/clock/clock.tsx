import { useSignalEffect } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useLoaded } from "../../view/use-loaded.js";
import type { SquadSession } from "../squad-session.js";
import type { LastColumn } from "../squad-table.js";
import { headHeight } from "./clock-chips.js";
import { clockOf } from "./clock-state.js";
import { SelectionPlace } from "./selection-place.js";
import { sessionSprints } from "./sprints.js";

const load = () => import("./clock-part.js");

/** Makes the clock the last column of the table. */
export function useClock(session: SquadSession): LastColumn {
  const clock = clockOf(session);
  const part = useLoaded(load);
  const { sprints, follow } = useMemo(() => sessionSprints(session), [session]);
  useSignalEffect(() => {
    session.settings.preset.value;
    session.zones.value;
    session.players.value;
    if (!session.isReading.value) follow();
  });
  const periods = session.periods.value;
  const zone = session.settings.zone.value;
  const { startsMs } = sprints.value;
  return {
    headPx: headHeight(clock),
    head: part === null ? null : <part.ClockHead clock={clock} />,
    cell: (row) => (
      <span class="for-readers" data-strip={row.member.key}>
        {part?.stripText(row, periods, startsMs.get(row.member.key)?.length ?? null, zone)}
      </span>
    ),
    foot: part === null ? null : <part.Legend />,
    over: (
      <>
        {part === null ? null : <part.ClockLayer clock={clock} sprints={sprints} />}
        <SelectionPlace clock={clock} />
      </>
    ),
  };
}
