import type { Command } from "commander";
import { expect, it } from "vitest";
import { program } from "./program.js";

/** Commands with an action, with their full names. */
const leaves = (command: Command, words: readonly string[] = []): [name: string, command: Command][] =>
  command.commands.length === 0
    ? [[words.join(" "), command]]
    : command.commands.flatMap((one) => leaves(one, [...words, one.name()]));

it("every command accepts --yes, even if it asks nothing", () => {
  const all = leaves(program());
  expect(all.length).toBeGreaterThan(30);
  const refusing = all.filter(([, { options }]) => !options.some(({ long }) => long === "--yes"));
  expect(refusing.map(([name]) => name)).toEqual([]);
});
