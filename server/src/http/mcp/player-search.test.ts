import { describe, expect, it } from "vitest";
import { playerSearch } from "./player-search.js";

describe("a player whom a question names", () => {
  const huber = { player: "Huber", athlete: 7, number: "5" };
  const roth = { player: "Roth", athlete: 9, number: "7" };
  const cleo = { player: "Cleo", athlete: 10, number: "12" };
  const players = [huber, roth, cleo];

  it.each([
    ["huber", huber],
    ["Roth (9)", roth],
    ["9", roth],
    ["#7", roth],
    ["12", cleo],
  ])("is found by name, by name and id, by id, or by the number on the shirt: %s", (given, found) => {
    expect(playerSearch(players)(given)).toEqual([found]);
  });

  it("is not guessed if the number alone is the id of one player and the number of another", () => {
    expect(() => playerSearch(players)("7")).toThrow(
      '"7" is the athlete id of Huber (7), and the number of Roth (9). Use the name, or "#7" for the number.',
    );
    expect(playerSearch([huber, cleo])("7")).toEqual([huber]);
    expect(playerSearch(players)("Nobody")).toEqual([]);
  });
});
