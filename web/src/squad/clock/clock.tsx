import { useSignalEffect } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { FASTEST_MEAN_KM_PER_H } from "../rules.js";
import type { SquadSession } from "../squad-session.js";
import type { LastColumn } from "../squad-table.js";
import { ClockHead, headHeight } from "./clock-head.js";
import { ClockLayer } from "./clock-layer.js";
import { clockOf } from "./clock-state.js";
import { stripText } from "./clock-words.js";
import { SelectionPlace } from "./selection-place.js";
import { sessionSprints } from "./sprints.js";
import "./clock.css";

/** Makes the clock the last column of the table. */
export function useClock(session: SquadSession): LastColumn {
  const clock = clockOf(session);
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
    head: <ClockHead clock={clock} />,
    cell: (row) => (
      <span class="for-readers" data-strip={row.member.key}>
        {stripText(row, periods, startsMs.get(row.member.key)?.length ?? null, zone)}
      </span>
    ),
    foot: <Legend />,
    over: (
      <>
        <ClockLayer clock={clock} sprints={sprints} />
        <SelectionPlace clock={clock} />
      </>
    ),
  };
}

function Legend() {
  return (
    <p class="clock-legend">
      <span>
        0 <i class="clock-ramp" /> {FASTEST_MEAN_KM_PER_H}+ km/h mean
      </span>
      <span>
        <i class="clock-sprint" /> sprint
      </span>
      <span>▶ on</span>
      <span>◀ off</span>
    </p>
  );
}
