/** The changes that this page makes to Swagger UI. */
import type { CurrentAccess } from "./access.js";
import { partOf } from "./document-part.js";
import { executeWithHint, operationSummary, responses, shortErrors, withoutTrial } from "./operation.js";
import { filter, openedBySearch, operationsWith } from "./search.js";
import type { Component, Plugin, ReactNode, System } from "./swagger-ui.js";

const nothing = () => null;

type Props = Record<string, unknown>;

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
