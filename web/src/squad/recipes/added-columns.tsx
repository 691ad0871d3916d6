import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

/** Columns that a user can add together. */
export interface Addable {
  key: string;
  name: string;
  /** The tooltip of the selected column. */
  title?: string;
}

interface Props {
  /** The names of the list and of the selected columns, for screen readers. */
  names: { one: string; selected: string; add?: string };
  selected: readonly Addable[];
  onRemove(key: string): void;
  groups: readonly { name: string; members: readonly Addable[] }[];
  /** The key that is selected in the list. */
  listed: string;
  onList(key: string): void;
  /** Adds the column selected in the list, or null if it cannot be added. */
  onAdd: (() => void) | null;
  /** Further buttons. */
  children?: ComponentChildren;
}

/** The added columns, each with a box that removes it, and a list in groups from which the user adds one. */
export function AddedColumns({ names, selected, onRemove, groups, listed, onList, onAdd, children }: Props) {
  const list = useRef<HTMLSelectElement>(null);
  return (
    <>
      {selected.length === 0 ? null : (
        <fieldset aria-label={names.selected}>
          {selected.map(({ key, name, title }) => (
            <label key={key} title={title}>
              <input
                type="checkbox"
                checked
                onChange={() => {
                  onRemove(key);
                  list.current?.focus();
                }}
              />
              {name}
            </label>
          ))}
        </fieldset>
      )}
      <div class="buttons">
        <label>
          {names.one}{" "}
          <select ref={list} value={listed} onChange={({ currentTarget }) => onList(currentTarget.value)}>
            {groups.map(({ name: group, members }) => (
              <optgroup key={group} label={group}>
                {members.map(({ key, name }) => (
                  <option key={key} value={key}>
                    {name}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
        </label>
        <button type="button" aria-label={names.add} disabled={onAdd === null} onClick={() => onAdd?.()}>
          Add
        </button>
        {children}
      </div>
    </>
  );
}

/** The first of the reasons why players have no figures, and the number of the others. */
export function FirstReason({ reasons, what }: { reasons: readonly string[]; what: string }) {
  const more = reasons.length - 1;
  return (
    <p class="bad" role="alert">
      {reasons[0]}
      {more <= 0
        ? ""
        : ` ${more === 1 ? "One other player has" : `${more} other players have`} no ${what} either.`}
    </p>
  );
}
