/** Changes to an operation: its header, the hint before a request, and its responses. */
import type { CurrentAccess } from "./access.js";
import { SIGN_IN_ADDRESS } from "./access-panel.js";
import { type CodeSample, codeSamples } from "./code-samples.js";
import type { Component, ImmutableMap, ReactNode, System } from "./swagger-ui.js";

type Props = Record<string, unknown>;

/** Creates the component for the header of an operation: a heading with a button that contains no further controls. */
export function operationSummary({ React: { createElement: h } }: System) {
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
export const executeWithHint =
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
export const withoutTrial = (Original: Component, { React: { createElement: h } }: System) => {
  return (props: { operation: ImmutableMap }): ReactNode => {
    const isStream =
      props.operation.getIn(["op", "responses", "200", "content", "text/event-stream"]) !== undefined;
    return h(Original, {
      ...props,
      operation: isStream ? props.operation.set("allowTryItOut", false) : props.operation,
    });
  };
};

/** Shortens documented errors to the description and an example, because all errors have the same structure. */
export const shortErrors = (Original: Component, { React: { createElement: h }, getComponent }: System) => {
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
export function responses({ React, specSelectors, getComponent }: System) {
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
