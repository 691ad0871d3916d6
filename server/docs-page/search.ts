/** The search for operations. */
import type { ImmutableMap, ReactNode, Selector, System } from "./swagger-ui.js";

/** Returns the words of the search; empty if there are none, which Swagger UI represents by `true`. */
function phraseOf({ currentFilter }: System["layoutSelectors"]): string {
  const current = currentFilter();
  return typeof current === "string" ? current : "";
}

/** Creates the component for the input that filters operations by words. */
export function filter({ React: { createElement: h }, layoutActions, layoutSelectors }: System) {
  return (): ReactNode => {
    return h(
      "div",
      { className: "filter", role: "search" },
      h("label", { htmlFor: "filter" }, "Find an operation"),
      h("input", {
        id: "filter",
        type: "search",
        placeholder: "device, PATCH, webhook …",
        value: phraseOf(layoutSelectors),
        onChange: (event: Event) => layoutActions.updateFilter((event.target as HTMLInputElement).value),
      }),
    );
  };
}

/** Returns the operations that have all the words in their path, method, id, summary or tag. */
export function operationsWith(tags: ImmutableMap, phrase: string): ImmutableMap {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  return tags
    .map((tag) => {
      const operations = tag.get("operations") as ImmutableMap;
      return tag.set(
        "operations",
        operations.filter((operation) => {
          const of = (...path: string[]) => operation.getIn(path);
          const text = [of("path"), of("method"), of("operation", "operationId"), of("operation", "summary")];
          const tagNames = (of("operation", "tags") as ImmutableMap | undefined)?.toJS();
          const all = [...text, tagNames].join(" ").toLowerCase();
          return words.every((word) => all.includes(word));
        }),
      );
    })
    .filter((tag) => (tag.get("operations") as ImmutableMap).size > 0);
}

/** Opens all groups during a search, so that all operations that it finds are visible. */
export const openedBySearch =
  (isShown: Selector<boolean>, { layoutSelectors }: System) =>
  (_state: unknown, ...[thing, ...rest]: Parameters<Selector<boolean>>): boolean =>
    (thing[0] === "operations-tag" && phraseOf(layoutSelectors) !== "") || isShown(thing, ...rest);
