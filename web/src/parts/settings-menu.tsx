import { useEffect, useRef } from "preact/hooks";
import { DOCUMENTATION, hasService } from "../view/service.js";
import { PRESETS, type Preset, type Settings } from "../view/settings.js";
import { zoneName } from "../view/times.js";
import { Segmented } from "./segmented.js";

/** Settings of this browser. */
export function SettingsMenu({ settings }: { settings: Settings }) {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const element = menu.current;
      if (element === null || !element.open) return;
      const isEscape = event instanceof KeyboardEvent && event.key === "Escape";
      const isOutside = event instanceof PointerEvent && !element.contains(event.target as Node);
      if (!isEscape && !isOutside) return;
      element.open = false;
      if (isEscape) element.querySelector("summary")?.focus();
    };
    document.addEventListener("keydown", close);
    document.addEventListener("pointerdown", close);
    return () => {
      document.removeEventListener("keydown", close);
      document.removeEventListener("pointerdown", close);
    };
  }, []);
  return (
    <details class="menu" ref={menu}>
      <summary class="button">Settings</summary>
      <div class="menu-body">
        <Row name="Times">
          {isUtc(zoneName("local")) ? (
            <span>UTC</span>
          ) : (
            <Segmented
              label="Times"
              choice={settings.zone}
              choices={[
                ["local", zoneName("local")],
                ["utc", zoneName("utc")],
              ]}
            />
          )}
        </Row>
        <Row name="Speed">
          <Segmented
            label="Unit of speeds"
            choice={settings.speedUnit}
            choices={[
              ["km/h", "km/h"],
              ["m/s", "m/s"],
            ]}
          />
        </Row>
        <label class="menu-row">
          <span>Sport</span>
          <select
            value={settings.preset.value}
            onChange={({ currentTarget }) => {
              settings.preset.value = currentTarget.value as Preset;
            }}
          >
            {PRESETS.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <Row name="Pitch on the map">
          <Segmented
            label="Pitch on the map"
            choice={settings.pitch}
            choices={[
              ["off", "Off"],
              ["on", "Fitted"],
            ]}
          />
        </Row>
        <label class="menu-row">
          <span>Map background</span>
          <input
            placeholder="https://…/{z}/{x}/{y}.png"
            value={settings.tiles.value}
            onChange={({ currentTarget }) => {
              settings.tiles.value = currentTarget.value.trim();
            }}
          />
        </label>
        <p class="note">
          Address of a map server. It learns which places you look at. Pictures come only from servers that
          the operator of this page allows.
        </p>
        {hasService.value === true ? <a href={DOCUMENTATION}>API documentation</a> : null}
      </div>
    </details>
  );
}

/** Whether a zone is UTC, by one of its names. */
const isUtc = (zone: string): boolean => /^(Etc\/)?(UTC|GMT)$/.test(zone);

function Row({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div class="menu-row">
      <span>{name}</span>
      {children}
    </div>
  );
}
