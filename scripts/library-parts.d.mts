import type { Plugin } from "esbuild";

export const PARTS: readonly string[];

export function sourceOf(name: string): string;

export function writeParts(): Map<string, string>;

export function partsOfLibrary(parts: ReadonlyMap<string, string>): Plugin;
