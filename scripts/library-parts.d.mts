import type { Plugin } from "esbuild";

export const PARTS: string;

export const SOURCE: string;

export function writeParts(): Set<string>;

export function partsOfLibrary(parts: Set<string>): Plugin;
