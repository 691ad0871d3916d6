interface Props {
  /** The names of the recordings of each place. */
  places: readonly (readonly string[])[];
  chosen: number;
  onChoose: (place: number) => void;
}

/** Explains that the map shows one of several places, and lets the user select a different one. */
export function MapPlace({ places, chosen, onChoose }: Props) {
  return (
    <label class="map-place">
      Too far apart for one map. Here:
      <select value={String(chosen)} onChange={({ currentTarget }) => onChoose(Number(currentTarget.value))}>
        {places.map((names, place) => (
          <option key={names.join()} value={String(place)}>
            {names.join(", ")}
          </option>
        ))}
      </select>
    </label>
  );
}
