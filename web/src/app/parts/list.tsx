import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ProblemCard } from "./problem.js";
import { type Loaded, Requested, useRequest } from "./request.js";

/** A page of a list, as the service gives it. */
export interface ListPage<Item> {
  count: number;
  next: number | null;
  results: Item[];
}

/** A list as far as it is loaded. */
export interface LoadedList<Item> {
  /** How many there are in all. */
  count: number;
  items: readonly Item[];
  next: number | null;
}

/** Waits until the user has stopped typing. */
const TYPING_MS = 250;

/** `value`, once it has stayed the same for a moment. */
export function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

type LoadPage<Item> = (page: number, signal?: AbortSignal) => Promise<ListPage<Item>>;

/** Loads the first page of a list; further pages are added by `<MoreOf>`. */
export function useList<Item>(key: string, load: LoadPage<Item>): Loaded<LoadedList<Item>> {
  return useRequest(key, async (signal) => loadedOf(await load(1, signal)));
}

const loadedOf = <Item,>({ count, next, results }: ListPage<Item>): LoadedList<Item> => ({
  count,
  next,
  items: results,
});

interface SearchProps {
  /** What is searched, as in "Search devices". */
  label: string;
  value: string;
  onInput: (value: string) => void;
}

export function SearchField({ label, value, onInput }: SearchProps) {
  return (
    <input
      type="search"
      class="search"
      aria-label={label}
      placeholder={label}
      value={value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  );
}

interface ListProps<Item> {
  list: Loaded<LoadedList<Item>>;
  load: LoadPage<Item>;
  /** What is listed, as in "the devices". */
  what: string;
  /** Shown instead of an empty list. */
  empty: ComponentChildren;
  children: (items: readonly Item[]) => ComponentChildren;
}

/** A list with "Show more" at its end. */
export function List<Item>({ list, load, what, empty, children }: ListProps<Item>) {
  return (
    <Requested request={list} what={what}>
      {(loaded) =>
        loaded.items.length === 0 ? (
          empty
        ) : (
          <>
            {children(loaded.items)}
            <MoreOf list={list} loaded={loaded} load={load} what={what} />
          </>
        )
      }
    </Requested>
  );
}

interface MoreProps<Item> {
  list: Loaded<LoadedList<Item>>;
  loaded: LoadedList<Item>;
  load: LoadPage<Item>;
  what: string;
}

function MoreOf<Item>({ list, loaded, load, what }: MoreProps<Item>) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const { next, items, count } = loaded;
  if (next === null) return null;
  const more = async () => {
    setBusy(true);
    setError(null);
    try {
      const page = await load(next);
      list.replace({ count: page.count, next: page.next, items: [...items, ...page.results] });
    } catch (failed) {
      setError(failed);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="more">
      <span class="muted">
        {items.length} of {count}
      </span>
      <button type="button" disabled={isBusy} onClick={more}>
        Show more
      </button>
      {error === null ? null : <ProblemCard title={`Could not load more of ${what}.`} error={error} />}
    </div>
  );
}
