import { useSignal } from "@preact/signals";
import type { ComponentChildren, ComponentType } from "preact";
import { useLoaded } from "../view/use-loaded.js";
import { Menu } from "./menu.js";

/** A menu whose content is loaded when `mayLoad` permits it, or when the menu opens. */
export function LoadedMenu<Props extends object>({
  name,
  class: className,
  load,
  mayLoad,
  props,
}: {
  name: ComponentChildren;
  class: string;
  load: () => Promise<ComponentType<Props>>;
  mayLoad: boolean;
  /** Props of the content. */
  props: Props;
}) {
  const isOpened = useSignal(false);
  const Content = useLoaded(load, mayLoad || isOpened.value);
  return (
    <Menu
      name={name}
      class={className}
      onOpen={() => {
        isOpened.value = true;
      }}
    >
      {Content === null ? null : <Content {...props} />}
    </Menu>
  );
}
