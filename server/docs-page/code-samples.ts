import type { React, ReactNode } from "./swagger-ui.js";

export interface CodeSample {
  label: string;
  source: string;
}

/** Language chosen by the reader for all operations. */
class ChosenLanguage {
  #current = "curl";
  readonly #listeners = new Set<() => void>();
  readonly read = (): string => this.#current;
  readonly listen = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  choose(language: string): void {
    this.#current = language;
    for (const listener of this.#listeners) listener();
  }
}

const chosen = new ChosenLanguage();

const NEEDS: Readonly<Record<string, string>> = {
  TypeScript: "Needs the package asi-client. Runs in Node.js.",
  Python: "Needs the library requests.",
};

/** Returns the tab selected by a key, according to the tabs pattern of the ARIA Authoring Practices Guide. */
function tabAt(key: string, current: number, count: number): number | null {
  if (key === "ArrowRight") return (current + 1) % count;
  if (key === "ArrowLeft") return (current + count - 1) % count;
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  return null;
}

/** Creates the component for the examples of an operation, with one tab per language. */
export function codeSamples({ createElement: h, useId, useState, useSyncExternalStore }: React) {
  return function CodeSamples({ samples }: { samples: CodeSample[] }): ReactNode {
    const id = useId();
    const [message, setMessage] = useState("");
    const language = useSyncExternalStore(chosen.listen, chosen.read);
    const current = samples.find(({ label }) => label === language) ?? samples[0];
    if (current === undefined) return null;
    const choose = (label: string) => {
      setMessage("");
      chosen.choose(label);
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const next = tabAt(event.key, samples.indexOf(current), samples.length);
      if (next === null) return;
      event.preventDefault();
      choose(samples[next]?.label ?? "");
      const tabs = (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("[role=tab]");
      tabs[next]?.focus();
    };
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(current.source);
        setMessage("Copied");
      } catch {
        setMessage("The browser does not allow it. Select the text instead.");
      }
    };
    const tabs = samples.map(({ label }) =>
      h(
        "button",
        {
          key: label,
          id: `${id}${label}`,
          type: "button",
          role: "tab",
          "aria-selected": label === current.label,
          "aria-controls": `${id}panel`,
          tabIndex: label === current.label ? 0 : -1,
          onClick: () => choose(label),
        },
        label,
      ),
    );
    return h(
      "div",
      { className: "samples" },
      h(
        "div",
        { className: "samples-bar" },
        h("h5", null, "Examples"),
        h("div", { className: "tabs", role: "tablist", "aria-label": "Language", onKeyDown }, ...tabs),
        h("span", { className: "spacer" }),
        h("span", { className: "muted", role: "status" }, message),
        h("button", { type: "button", className: "copy", onClick: copy }, "Copy"),
      ),
      h(
        "div",
        { id: `${id}panel`, role: "tabpanel", "aria-labelledby": `${id}${current.label}`, tabIndex: 0 },
        h("pre", null, h("code", null, current.source)),
      ),
      NEEDS[current.label] === undefined ? null : h("p", { className: "muted needs" }, NEEDS[current.label]),
    );
  };
}
