/** Parts of Swagger UI used by this page: https://swagger.io/docs/open-source-tools/swagger-ui/customization/plugin-api/ */

/** An Immutable.js map. */
export interface ImmutableMap {
  get(key: string): unknown;
  getIn(path: readonly string[]): unknown;
  set(key: string, value: unknown): ImmutableMap;
  toJS(): unknown;
  filter(keep: (value: ImmutableMap, key: string) => boolean): ImmutableMap;
  map(change: (value: ImmutableMap) => unknown): ImmutableMap;
  readonly size: number;
}

export type ReactNode = object | string | number | null | false | undefined | ReactNode[];
export type Component<Props = Record<string, unknown>> = ((props: Props) => ReactNode) | string | object;

/** Swagger UI bundles its own React. */
export interface React {
  createElement<Props>(
    component: Component<Props>,
    props: (Props & { key?: string }) | null,
    ...children: ReactNode[]
  ): ReactNode;
  readonly Fragment: object;
  useId(): string;
  useState<Value>(first: Value | (() => Value)): [Value, (value: Value) => void];
  useSyncExternalStore<Value>(listen: (listener: () => void) => () => void, read: () => Value): Value;
}

export interface System {
  React: React;
  layoutActions: { updateFilter(phrase: string): void };
  layoutSelectors: { currentFilter(): unknown };
  specSelectors: { specJson(): ImmutableMap };
  getComponent(name: string, container?: boolean): Component;
  fn: { resolveSubtree: ResolveSubtree };
}

/** Replaces the references in the part of a document at a path. */
type ResolveSubtree = (document: OpenApi, path: readonly string[], options: object) => Promise<object>;

/** The members of the document that this page reads. */
export interface OpenApi {
  openapi: string;
  info: object;
  paths?: Record<string, object>;
  components?: Record<string, Record<string, unknown>>;
}

/** Reads the current state. @param thing path of a part of the page, such as `["operations-tag", "Devices"]` */
export type Selector<T> = (thing: readonly string[], ...rest: unknown[]) => T;
type WrapSelector<T> = (
  original: Selector<T>,
  system: System,
) => (state: unknown, ...given: Parameters<Selector<T>>) => T;

type Wrap = (original: Component, system: System) => Component;

export interface Plugin {
  components?: Record<string, Component>;
  wrapComponents?: Record<string, Wrap>;
  fn?: Record<string, unknown>;
  statePlugins?: { layout: { wrapSelectors: { isShown: WrapSelector<boolean> } } };
  afterLoad?(system: System): void;
}

declare global {
  const SwaggerUIBundle: (options: object) => unknown;
}
