import type { ComponentChildren } from "preact";
import { useKept, useKeptPlace } from "../../view/kept-state.js";
import { Action, ProblemOf, useProblem } from "./action.js";
import { Nothing } from "./nothing.js";
import { type Column, Records } from "./records.js";
import { type Loaded, Requested, useRequest } from "./request.js";
import { useTyped } from "./use-typed.js";

/** A page of a list from the API. */
interface ListPage<Item> {
  count: number;
  next: number | null;
  results: Item[];
}

/** The part of a query that selects a page in a list. */
interface PageQuery {
  page: number;
  limit: number;
}

type LoadPage<Item, Query> = (query: Query, signal: AbortSignal) => Promise<ListPage<Item>>;

/** The loaded part of a list. */
export interface List<Item> extends Loaded<ListPage<Item>> {
  /** Loads the next page. */
  more: () => Promise<void>;
}

const PER_PAGE = 50;
/** The limit of the service for the length of a page. */
const MOST_PER_PAGE = 3000;

/** Loads the first page of a list, or the pages that were shown before the user left. `<ListOf>` has a button for further pages. */
export function useList<Item>(
  key: string,
  load: LoadPage<Item, PageQuery>,
  limit: number = PER_PAGE,
): List<Item> {
  // the shown list with its number of rows, in whole pages
  const [shown, setShown] = useKept("rows", { key, rows: limit });
  const first = shown.key === key ? Math.min(shown.rows, MOST_PER_PAGE) : limit;
  const list = useRequest(key, (signal) => load({ page: 1, limit: first }, signal));
  const { data, replace } = list;
  useKeptPlace(data !== undefined);
  const more = async () => {
    if (data == null || data.next === null) return;
    const next = Math.floor(data.results.length / limit) + 1;
    const page = await load({ page: next, limit }, new AbortController().signal);
    const results = [...data.results, ...page.results];
    setShown({ key, rows: Math.ceil(results.length / limit) * limit });
    replace({ ...page, results });
  };
  return { ...list, more };
}

/** A list with a search field. */
export interface SearchedList<Item> extends List<Item> {
  typed: string;
  /** Search text, or undefined if it is empty. */
  wanted: string;
  search: (text: string) => void;
}

export function useSearchedList<Item>(
  key: string,
  load: LoadPage<Item, PageQuery & { search?: string }>,
): SearchedList<Item> {
  const [typed, search] = useKept("search", "");
  const wanted = useTyped(typed);
  const list = useList(`${key} ${wanted}`, (query, signal) =>
    load(wanted === "" ? query : { ...query, search: wanted }, signal),
  );
  return { ...list, typed, wanted, search };
}

interface ListProps<Item> {
  list: List<Item>;
  /** Name of the items with an article, such as "the devices". */
  what: string;
  /** The content shown instead of an empty list. */
  empty: ComponentChildren;
  children: (items: readonly Item[]) => ComponentChildren;
}

/** A list with "Show more" at its end. */
export function ListOf<Item>({ list, what, empty, children }: ListProps<Item>) {
  const problem = useProblem();
  return (
    <Requested request={list} what={what}>
      {({ results, count, next }) =>
        results.length === 0 ? (
          empty
        ) : (
          <>
            {children(results)}
            {next === null ? null : (
              <div class="more">
                <span class="muted">
                  The first {results.length} of {count}
                </span>
                <Action
                  work={list.more}
                  busy="Loading…"
                  failed={`Could not load more of ${what}.`}
                  problem={problem}
                >
                  Show more
                </Action>
                <ProblemOf problem={problem} />
              </div>
            )}
          </>
        )
      }
    </Requested>
  );
}

interface ViewProps<Item extends { id: number }> {
  title: string;
  /** Name of the items, such as "devices". */
  what: string;
  list: SearchedList<Item>;
  columns: readonly Column<Item>[];
  /** The content shown instead of an empty list. */
  empty: ComponentChildren;
  /** The searched fields, such as "name". */
  searched: string;
  /** The content shown next to the search. */
  controls?: ComponentChildren;
  /** The content shown between the heading and the list. */
  children?: ComponentChildren;
}

/** A view that lists and searches items. */
export function ListView<Item extends { id: number }>({
  title,
  what,
  list,
  columns,
  empty,
  searched,
  controls,
  children,
}: ViewProps<Item>) {
  const { typed, wanted, search } = list;
  const label = `Search ${what}`;
  return (
    <>
      <div class="view-head">
        <h1>{title}</h1>
        <input
          type="search"
          class="search"
          aria-label={label}
          placeholder={label}
          value={typed}
          onInput={({ currentTarget }) => search(currentTarget.value)}
        />
        {controls}
      </div>
      {children}
      <ListOf
        list={list}
        what={`the ${what}`}
        empty={
          wanted === "" ? (
            empty
          ) : (
            <Nothing title={`None of the ${what} has “${wanted}” in its ${searched}.`}>
              <p>Search for something else, or clear the search.</p>
            </Nothing>
          )
        }
      >
        {(items) => (
          <div class="panel padded">
            <Records rows={items} columns={columns} keyOf={({ id }) => id} />
          </div>
        )}
      </ListOf>
    </>
  );
}
