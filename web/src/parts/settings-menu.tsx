import { DOCUMENTATION, hasService } from "../view/service.js";
import { PRESETS, type Preset, type Settings } from "../view/settings.js";
import { zoneName } from "../view/times.js";
import { Menu } from "./menu.js";
import { Segmented } from "./segmented.js";

/** Settings of this browser. */
export function SettingsMenu({ settings }: { settings: Settings }) {
  return (
    <Menu name="Settings">
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
        Address of a map server. The server learns which places you view. Pictures come only from servers that
        the operator of this page allows.
      </p>
      {hasService.value === true ? <a href={DOCUMENTATION}>API documentation</a> : null}
    </Menu>
  );
}

/** Returns whether a zone name means UTC. */
const isUtc = (zone: string): boolean => /^(Etc\/)?(UTC|GMT)$/.test(zone);

function Row({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div class="menu-row">
      <span>{name}</span>
      {children}
    </div>
  );
}
