import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** A button with a panel below. Escape and a press outside close the panel. */
export function Menu({
  name,
  children,
  class: className = "",
  onOpen,
}: {
  name: ComponentChildren;
  children: ComponentChildren;
  class?: string;
  /** Called when the panel opens. */
  onOpen?: () => void;
}) {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const element = menu.current;
      if (element === null || !element.open) return;
      const isEscape = event instanceof KeyboardEvent && event.key === "Escape";
      const isOutside = event instanceof PointerEvent && !element.contains(event.target as Node);
      if (!isEscape && !isOutside) return;
      element.open = false;
      if (isEscape) element.querySelector("summary")?.focus();
    };
    document.addEventListener("keydown", close);
    document.addEventListener("pointerdown", close);
    return () => {
      document.removeEventListener("keydown", close);
      document.removeEventListener("pointerdown", close);
    };
  }, []);
  return (
    <details
      class={`menu ${className}`}
      ref={menu}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) onOpen?.();
      }}
    >
      <summary class="button">{name}</summary>
      <div class="menu-body">{children}</div>
    </details>
  );
}
