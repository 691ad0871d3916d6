/** Changes of this page to Swagger UI. */
import type { CurrentAccess } from "./access.js";
import { SIGN_IN_ADDRESS } from "./access-panel.js";
import { type CodeSample, codeSamples } from "./code-samples.js";
import { partOf } from "./document-part.js";
import type { Component, ImmutableMap, Plugin, ReactNode, Selector, System } from "./swagger-ui.js";

const nothing = () => null;

/** Creates the component for the header of an operation: a heading with a button that contains no further controls. */
function operationSummary({ React: { createElement: h } }: System) {
  return ({
    operationProps,
    isShown,
    toggleShown,
  }: {
    operationProps: ImmutableMap;
    isShown: boolean;
    toggleShown(): void;
  }): ReactNode => {
    const member = (key: string) => operationProps.get(key) as string;
    const [method, path] = [member("method"), member("path")];
    const address = `#/${encodeURIComponent(member("tag"))}/${member("operationId")}`;
    return h(
      "div",
      { className: "operation-line" },
      h(
        "h4",
        null,
        h(
          "button",
          { type: "button", "aria-expanded": isShown, onClick: toggleShown },
          h("span", { className: `method ${method}` }, method.toUpperCase()),
          " ",
          h("span", { className: "path" }, ...breakable(h, path)),
          " ",
          h("span", { className: "summary" }, member("summary")),
          operationProps.get("deprecated") === true
            ? h("span", { className: "deprecated" }, "deprecated")
            : null,
        ),
      ),
      h("a", { className: "link", href: address, "aria-label": `Link to ${method} ${path}` }, "#"),
    );
  };
}

/** Returns a path with line-break opportunities before its slashes. */
const breakable = (h: System["React"]["createElement"], path: string): ReactNode[] =>
  path.split(/(?=\/)/).flatMap((part, index) => [h("wbr", { key: String(index) }), part]);

/** Adds a hint before the button that sends a request if no credentials are available. */
const executeWithHint =
  (access: CurrentAccess) =>
  (Original: Component, { React: { createElement: h, Fragment, useSyncExternalStore } }: System) =>
  (props: Record<string, unknown>): ReactNode => {
    const { kind } = useSyncExternalStore(access.listen, () => access.current);
    const security = (props.operation as ImmutableMap).get("security") as { size: number } | undefined;
    const isRefused = kind === "none" && (security?.size ?? 0) > 0;
    return h(
      Fragment,
      null,
      isRefused
        ? h(
            "p",
            { className: "access-hint", role: "note" },
            "You are not signed in, so the service will refuse this. ",
            h("a", { href: SIGN_IN_ADDRESS }, "Sign in on the page"),
            " and come back, or ",
            h("a", { href: "#access", onClick: focusToken }, "enter an access token"),
            ".",
          )
        : null,
      h(Original, props),
    );
  };

/**
 * Moves the focus to the input for a token. A link would change the fragment of the address, which identifies the open operation.
 */
function focusToken(event: Event): void {
  event.preventDefault();
  document.getElementById("token")?.focus();
}

/** Disables trying operations with server-sent events: they never end, so a browser would wait forever. */
const withoutTrial = (Original: Component, { React: { createElement: h } }: System) => {
  return (props: { operation: ImmutableMap }): ReactNode => {
    const isStream =
      props.operation.getIn(["op", "responses", "200", "content", "text/event-stream"]) !== undefined;
    return h(Original, {
      ...props,
      operation: isStream ? props.operation.set("allowTryItOut", false) : props.operation,
    });
  };
};

type Props = Record<string, unknown>;

/** Shortens documented errors to the description and an example, because all errors have the same structure. */
const shortErrors = (Original: Component, { React: { createElement: h }, getComponent }: System) => {
  return (props: Props): ReactNode => {
    const code = props.code as string;
    if (code.startsWith("2")) return h(Original, props);
    const response = props.response as ImmutableMap;
    const example = response.getIn(["content", "application/json", "example"]);
    return h(
      "tr",
      { className: "response" },
      h("td", { className: "response-col_status" }, code),
      h(
        "td",
        { className: "response-col_description" },
        h(getComponent("Markdown", true), { source: response.get("description") }),
        example === undefined ? null : h("code", { className: "example" }, JSON.stringify(example)),
      ),
    );
  };
};

/** Creates the component for the response of the service, the examples and the documented responses. */
function responses({ React, specSelectors, getComponent }: System) {
  const { createElement: h } = React;
  const Samples = codeSamples(React);
  return (props: Props): ReactNode => {
    const [path, method] = [props.path as string, props.method as string];
    const found = specSelectors.specJson().getIn(["paths", path, method, "x-codeSamples"]);
    const samples = ((found as ImmutableMap | undefined)?.toJS() ?? []) as CodeSample[];
    const documented = (props.responses as ImmutableMap).toJS() as Record<string, object>;
    const received = props.tryItOutResponse as ImmutableMap | null | undefined;
    const codes = Object.keys(documented).sort();
    return h(
      "div",
      null,
      h(
        "div",
        { "aria-live": "polite" },
        received ? h(getComponent("liveResponse"), { ...props, response: received }) : null,
      ),
      h(Samples, { samples }),
      h("h5", { className: "section-title" }, "Responses"),
      h(
        "div",
        { className: "responses-inner" },
        h(
          "table",
          { className: "responses-table" },
          h(
            "thead",
            null,
            h("tr", null, h("th", { scope: "col" }, "Code"), h("th", { scope: "col" }, "Description")),
          ),
          h(
            "tbody",
            null,
            ...codes.map((code) =>
              h(getComponent("response"), {
                ...props,
                key: code,
                code,
                className: "",
                response: (props.responses as ImmutableMap).get(code),
                specPath: (props.specPath as { push(key: string): object }).push(code),
                controlsAcceptHeader: false,
                contentType: props.producesValue,
              }),
            ),
          ),
        ),
      ),
    );
  };
}

/** Creates the component for the whole page, which is the main landmark. */
function layout({ React: { createElement: h }, getComponent }: System) {
  return (): ReactNode =>
    h(
      "main",
      { className: "swagger-ui", id: "operations" },
      h(getComponent("SvgAssets"), null),
      h(getComponent("errors", true), null),
      h(getComponent("InfoContainer", true), null),
      h(getComponent("FilterContainer", true), null),
      h(getComponent("operations", true), null),
    );
}

/** Adds a name for screen readers, which Swagger UI does not provide. */
const named =
  (name: (props: Props) => string) =>
  (Original: Component, { React: { createElement: h } }: System) =>
  (props: Props): ReactNode =>
    h(Original, { ...props, "aria-label": name(props) });

/** Creates the component for a parameter that is true, false or not sent. */
function truthValue({ React: { createElement: h } }: System) {
  return ({ value, description, disabled, onChange }: Props): ReactNode =>
    h(
      "select",
      {
        "aria-label": description,
        value: String(value ?? ""),
        disabled,
        onChange: (event: Event) =>
          (onChange as (value: string) => void)((event.target as HTMLSelectElement).value),
      },
      ...["", "true", "false"].map((choice) => h("option", { key: choice, value: choice }, choice || "--")),
    );
}

/** Creates the component for the button that opens a part of a schema. */
function accordion({ React: { createElement: h, Fragment } }: System) {
  return ({ expanded, children, onChange }: Props): ReactNode =>
    h(
      Fragment,
      null,
      children as ReactNode,
      h(
        "button",
        {
          type: "button",
          className: "json-schema-2020-12-accordion",
          "aria-expanded": expanded,
          "aria-label": "Members",
          onClick: (event: Event) => (onChange as (event: Event, to: boolean) => void)(event, !expanded),
        },
        expanded ? "−" : "+",
      ),
    );
}

/** Returns the words of the search; empty if there are none, which Swagger UI represents by `true`. */
function phraseOf({ currentFilter }: System["layoutSelectors"]): string {
  const current = currentFilter();
  return typeof current === "string" ? current : "";
}

/** Creates the component for the input that filters operations by words. */
function filter({ React: { createElement: h }, layoutActions, layoutSelectors }: System) {
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
function operationsWith(tags: ImmutableMap, phrase: string): ImmutableMap {
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
const openedBySearch =
  (isShown: Selector<boolean>, { layoutSelectors }: System) =>
  (_state: unknown, ...[thing, ...rest]: Parameters<Selector<boolean>>): boolean =>
    (thing[0] === "operations-tag" && phraseOf(layoutSelectors) !== "") || isShown(thing, ...rest);

export const plugin =
  (access: CurrentAccess) =>
  (system: System): Plugin => ({
    components: {
      OperationSummary: operationSummary(system),
      FilterContainer: filter(system),
      DocumentationLayout: layout(system),
      responses: responses(system),
      JsonSchema_boolean: truthValue(system),
      JSONSchema202012Accordion: accordion(system),
      // There is only one service address.
      OperationServers: nothing,
      // The examples are better: they use a token instead of a cookie.
      curl: nothing,
      InfoUrl: nothing,
      VersionStamp: nothing,
      OpenAPIVersion: nothing,
      License: nothing,
    },
    wrapComponents: {
      execute: executeWithHint(access),
      operation: withoutTrial,
      response: shortErrors,
      TextArea: named(() => "Request body"),
    },
    fn: { opsFilter: operationsWith },
    statePlugins: { layout: { wrapSelectors: { isShown: openedBySearch } } },
    afterLoad({ fn }: System) {
      const resolve = fn.resolveSubtree;
      fn.resolveSubtree = (document, path, options) => resolve(partOf(document, path), path, options);
    },
  });
