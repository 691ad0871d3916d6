import { useSignal } from "@preact/signals";
import { type Interval, intervalsFor, nameKey, type SessionPeriod } from "asi-convert/squad";
import { timeOfDay } from "../../view/times.js";
import type { AttackSide } from "../period-steps.js";
import type { SquadPlayer, SquadSession } from "../squad-session.js";
import { outside, renamed, withEnds, withOwn, withoutPeriod } from "./period-edits.js";
import { extentOf } from "./period-lanes.js";
import { contextOf, writtenInterval } from "./period-times.js";

/** A row of the table of periods. An entry takes effect when its field loses focus. */
export function PeriodLine({ session, period }: { session: SquadSession; period: SessionPeriod }) {
  const isOpen = useSignal(false);
  const problem = useSignal<string | null>(null);
  const { name } = period;
  const extent = extentOf(period);
  const zone = session.settings.zone.value;
  const steps = session.periodSteps;
  const isForAll = period.all !== null;

  const rename = (text: string) => {
    const newName = text.trim();
    const periods = session.periods.peek();
    if (newName === "" || newName === name) return;
    if (periods.some((other) => other.name !== name && nameKey(other.name) === nameKey(newName))) {
      problem.value = `A period "${newName}" already exists. Enter a different name.`;
      return;
    }
    const side = session.attack.peek().get(name);
    const attack = new Map(session.attack.peek());
    attack.delete(name);
    if (side !== undefined) attack.set(newName, side);
    const scope = session.scope.peek();
    steps.change({ periods: renamed(periods, name, newName), attack });
    if (scope.kind === "period" && scope.name === name)
      session.scope.value = { kind: "period", name: newName };
  };
  const moveTo = (from: string, to: string) => {
    const context = contextOf(session);
    if (context === null) return;
    const written = writtenInterval(from, to, context);
    problem.value = "problem" in written ? written.problem : null;
    if ("interval" in written)
      steps.change({ periods: withEnds(session.periods.peek(), name, written.interval) });
  };
  const [from, to] =
    extent === null ? ["", ""] : [extent.startMs, extent.endMs].map((ms) => timeOfDay(ms, zone));
  const different = period.own.size;
  const keys = outside(period);
  const cut = session.names.value.filter((player) => keys.includes(nameKey(player)));
  return (
    <>
      <tr>
        <td>
          <Field label={`Name of ${name}`} class="period-name" value={name} onChange={rename} />
        </td>
        <td>
          <Field
            label={`Start of ${name}`}
            class="time"
            value={from ?? ""}
            isDisabled={!isForAll}
            onChange={(text) => moveTo(text, to ?? "")}
          />
        </td>
        <td>
          <Field
            label={`End of ${name}`}
            class="time"
            value={to ?? ""}
            isDisabled={!isForAll}
            onChange={(text) => moveTo(from ?? "", text)}
          />
        </td>
        <td>
          {!isForAll ? `${different} players` : different === 0 ? "all" : `all, ${different} differ`}{" "}
          <button
            type="button"
            aria-expanded={isOpen.value}
            aria-label={`Players of ${name}`}
            onClick={() => {
              isOpen.value = !isOpen.peek();
            }}
          >
            Players…
          </button>
        </td>
        <td>
          <Attack session={session} name={name} />
        </td>
        <td>
          <button
            type="button"
            aria-label={`Remove ${name}`}
            onClick={() => steps.change({ periods: withoutPeriod(session.periods.peek(), name) })}
          >
            Remove
          </button>
        </td>
      </tr>
      {problem.value === null ? null : (
        <tr>
          <td colSpan={6} class="clock-problem" role="alert">
            {problem.value}
          </td>
        </tr>
      )}
      {cut.length === 0 ? null : (
        <tr>
          <td colSpan={6} class="clock-problem" role="status">
            Times outside {name} do not count: {cut.join(", ")}. They count again when it includes them.
          </td>
        </tr>
      )}
      {isOpen.value ? (
        <tr>
          <td colSpan={6}>
            <Players session={session} period={period} />
          </td>
        </tr>
      ) : null}
    </>
  );
}

const NEXT_SIDE: Record<AttackSide | "unknown", AttackSide | null> = {
  unknown: "right",
  right: "left",
  left: null,
};
const SIDE_TEXT = { unknown: "not known", right: "to the right", left: "to the left" };
const SIDE_SIGN = { unknown: "?", right: "→", left: "←" };

/** The side of the map towards which the team attacks. */
function Attack({ session, name }: { session: SquadSession; name: string }) {
  const side = session.attack.value.get(name) ?? "unknown";
  return (
    <button
      type="button"
      aria-label={`Attack of ${name}: ${SIDE_TEXT[side]}`}
      title={`Attack ${SIDE_TEXT[side]}: press to change`}
      onClick={() => {
        const attack = new Map(session.attack.peek());
        const next = NEXT_SIDE[side];
        if (next === null) attack.delete(name);
        else attack.set(name, next);
        session.periodSteps.change({ attack });
      }}
    >
      {SIDE_SIGN[side]}
    </button>
  );
}

/** The players of a period with their times. Substitutes have separate times. */
function Players({ session, period }: { session: SquadSession; period: SessionPeriod }) {
  return (
    <div class="period-players">
      <table>
        <thead>
          <tr>
            <th scope="col">Takes part</th>
            <th scope="col">From and to</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {session.players.value.map((player) => (
            <PlayerLine key={player.key} session={session} period={period} player={player} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface PlayerLineProps {
  session: SquadSession;
  period: SessionPeriod;
  player: SquadPlayer;
}

function PlayerLine({ session, period, player: { name } }: PlayerLineProps) {
  const problem = useSignal<string | null>(null);
  const zone = session.settings.zone.value;
  const intervals = intervalsFor(period, name);
  const isOwn = period.own.has(nameKey(name));
  const set = (next: readonly Interval[] | null) =>
    session.periodSteps.change({ periods: withOwn(session.periods.peek(), period.name, name, next) });
  const extent = extentOf(period);
  const take = (isIn: boolean) => {
    if (!isIn) set(period.all === null ? null : []);
    else set(period.all === null && extent !== null ? [extent] : null);
  };
  const write = (at: number, from: string, to: string) => {
    const context = contextOf(session);
    if (context === null) return;
    const written = writtenInterval(from, to, context);
    problem.value = "problem" in written ? written.problem : null;
    if ("interval" in written) set(intervals.with(at, written.interval));
  };
  return (
    <tr>
      <th scope="row">
        <label>
          <input
            type="checkbox"
            checked={intervals.length > 0}
            onChange={(event) => take(event.currentTarget.checked)}
          />{" "}
          {name}
        </label>
      </th>
      <td>
        {intervals.map(({ startMs, endMs }, i) => {
          const [from, to] = [timeOfDay(startMs, zone), timeOfDay(endMs, zone)];
          return (
            <span key={i}>
              <Field
                label={`${name} from`}
                class="time"
                value={from}
                onChange={(text) => write(i, text, to)}
              />{" "}
              to{" "}
              <Field
                label={`${name} to`}
                class="time"
                value={to}
                onChange={(text) => write(i, from, text)}
              />{" "}
            </span>
          );
        })}
        {problem.value === null ? null : (
          <span class="clock-problem" role="alert">
            {problem.value}
          </span>
        )}
      </td>
      <td>
        {isOwn && period.all !== null ? (
          <button type="button" aria-label={`${name} as all`} onClick={() => set(null)}>
            As all
          </button>
        ) : null}
      </td>
    </tr>
  );
}

interface FieldProps {
  label: string;
  class: string;
  value: string;
  isDisabled?: boolean;
  onChange: (text: string) => void;
}

function Field({ label, class: className, value, isDisabled = false, onChange }: FieldProps) {
  return (
    <input
      aria-label={label}
      class={className}
      value={value}
      disabled={isDisabled}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
