import { createClient } from "../src/index.js";

type Answer = (request: Request, time: number) => Promise<Response | undefined>;

/** Returns a function that creates clients whose requests are recorded. `answer` can respond instead of the service. */
export const watcher =
  (account: () => { baseUrl: string; token: string }) =>
  (answer: Answer, options = {}) => {
    const sent: Request[] = [];
    const client = createClient({
      ...account(),
      ...options,
      async fetch(request) {
        sent.push(request.clone());
        return (await answer(request, sent.length)) ?? fetch(request);
      },
    });
    return { client, sent };
  };
