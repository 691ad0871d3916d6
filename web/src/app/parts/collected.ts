/** All results of a list, page after page: for lists that are searched and sorted in the page. */
export async function collected<Result>(results: AsyncIterable<Result>): Promise<Result[]> {
  const all: Result[] = [];
  for await (const result of results) all.push(result);
  return all;
}
