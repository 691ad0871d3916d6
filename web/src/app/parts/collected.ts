/** Loads all results of a list, for lists that the page searches and sorts. */
export async function collected<Result>(results: AsyncIterable<Result>): Promise<Result[]> {
  const all: Result[] = [];
  for await (const result of results) all.push(result);
  return all;
}
