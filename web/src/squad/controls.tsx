import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Menu } from "../parts/menu.js";
import { useLoaded } from "../view/use-loaded.js";
import { PeriodsButton } from "./clock/periods-button.js";
import { ColumnsMenu } from "./columns-menu.js";
import { ExportMenu, type ExportProps } from "./export-menu.js";
import { isPhone } from "./room.js";
import { halvesIn, type Scope } from "./scope.js";
import type { SquadSession } from "./squad-session.js";
import type { Against } from "./table-model.js";

const loadCopyButton = async () => (await import("./copy-button.js")).CopyButton;

/** Controls for the scope and the form of the table. */
export function Controls({
  session,
  columns,
  against,
  hasFigures,
  children,
}: ExportProps & {
  against: Signal<Against>;
  /** Whether the figures of the table are shown. Some controls apply only to them. */
  hasFigures: boolean;
  children: ComponentChildren;
}) {
  const Copy = useLoaded(loadCopyButton);
  const figures = (
    <>
      <PeriodsButton session={session} />
      {hasFigures ? (
        <fieldset class="segmented" aria-label="Figures">
          <Choice isPressed={!session.isPerMinute.value} onPress={() => (session.isPerMinute.value = false)}>
            Totals
          </Choice>
          <Choice isPressed={session.isPerMinute.value} onPress={() => (session.isPerMinute.value = true)}>
            Per minute
          </Choice>
        </fieldset>
      ) : null}
      <Choice
        class="toggle"
        isPressed={session.isByPosition.value}
        onPress={() => (session.isByPosition.value = !session.isByPosition.peek())}
      >
        By position
      </Choice>
    </>
  );
  const files = (
    <>
      {hasFigures ? (
        <>
          <ColumnsMenu session={session} columns={columns} against={against} />
          {Copy && <Copy session={session} columns={columns} />}
        </>
      ) : null}
      <ExportMenu session={session} columns={columns} />
    </>
  );
  if (isPhone.value) {
    return (
      <div class="squad-controls">
        <ScopeSelect session={session} />
        {children}
        <Menu name="More" class="squad-more">
          {figures}
          {files}
        </Menu>
      </div>
    );
  }
  return (
    <div class="squad-controls">
      <Scopes session={session} />
      {figures}
      <span class="spacer" />
      {children}
      {files}
    </div>
  );
}

function Choice({
  isPressed,
  onPress,
  ...rest
}: {
  class?: string;
  isPressed: boolean;
  onPress: () => void;
  children: string;
}) {
  return <button type="button" aria-pressed={isPressed} onClick={onPress} {...rest} />;
}

/** Returns the scopes with a button, with their names. */
export function scopesOf(session: SquadSession): { name: string; scope: Scope }[] {
  const periods = session.periods.value;
  const halves = halvesIn(periods);
  const of = ({ name }: { name: string }) => ({ name, scope: { kind: "period", name } as const });
  const first = halves[0];
  const before = first === undefined ? [] : periods.slice(0, periods.indexOf(first));
  return [
    { name: "Session", scope: { kind: "session" } },
    ...before.map(of),
    ...(first === undefined ? [] : [{ name: "Match", scope: { kind: "match" } as const }]),
    ...periods.slice(before.length).map(of),
  ];
}

export function isSameScope(a: Scope, b: Scope): boolean {
  if (a.kind === "period" && b.kind === "period") return a.name === b.name;
  return a.kind === b.kind && a.kind !== "brush";
}

function Scopes({ session }: { session: SquadSession }) {
  const scopes = scopesOf(session);
  const shown = session.scope.value;
  return (
    <fieldset class="segmented" aria-label="Period">
      {scopes.map(({ name, scope }) => (
        <Choice
          key={`${scope.kind} ${name}`}
          isPressed={isSameScope(scope, shown)}
          onPress={() => {
            session.scope.value = scope;
          }}
        >
          {name}
        </Choice>
      ))}
    </fieldset>
  );
}

/** The same controls for the width of a phone. A selection is one of the options. */
function ScopeSelect({ session }: { session: SquadSession }) {
  const scopes = scopesOf(session);
  const shown = session.scope.value;
  const index = scopes.findIndex(({ scope }) => isSameScope(scope, shown));
  return (
    <select
      aria-label="Period"
      value={index}
      onChange={({ currentTarget }) => {
        const chosen = scopes[Number(currentTarget.value)];
        if (chosen !== undefined) session.scope.value = chosen.scope;
      }}
    >
      {index === -1 ? <option value={-1}>Selection</option> : null}
      {scopes.map(({ name, scope }, i) => (
        <option key={`${scope.kind} ${name}`} value={i}>
          {name}
        </option>
      ))}
    </select>
  );
}
