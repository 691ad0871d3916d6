import { escaped } from "./svg.js";

/** An element of a drawing, which becomes markup in a file or an element in a page. */
export interface DrawnElement {
  tag: string;
  attributes: Readonly<Record<string, string | number>>;
  children: readonly (DrawnElement | string)[];
}

export function drawn(
  tag: string,
  attributes: DrawnElement["attributes"],
  ...children: DrawnElement["children"]
): DrawnElement {
  return { tag, attributes, children };
}

/** Returns an element as HTML markup. */
export function markupOf({ tag, attributes, children }: DrawnElement): string {
  const named = Object.entries(attributes).map(([name, value]) => ` ${name}="${escaped(String(value))}"`);
  const start = `<${tag}${named.join("")}`;
  if (children.length === 0) return `${start}/>`;
  const content = children.map((child) => (typeof child === "string" ? escaped(child) : markupOf(child)));
  return `${start}>${content.join("")}</${tag}>`;
}
