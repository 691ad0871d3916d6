import { AwayError } from "../connection.js";

/** Status codes of responses without a body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Sends a request and reports how many bytes of its body are sent. `fetch` does not report this.
 *
 * @param onSent called with the number of sent bytes
 * @throws AwayError if there is no response; the abort reason of the request's signal
 */
export async function sendWithProgress(request: Request, onSent: (bytes: number) => void): Promise<Response> {
  const body = await request.blob();
  const { signal } = request;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    const stop = () => xhr.abort();
    xhr.open(request.method, request.url);
    for (const [name, value] of request.headers) xhr.setRequestHeader(name, value);
    xhr.responseType = "blob";
    xhr.upload.onprogress = ({ loaded }) => onSent(loaded);
    xhr.onload = () => {
      const headers = new Headers(
        xhr
          .getAllResponseHeaders()
          .split("\r\n")
          .filter((line) => line.includes(":"))
          .map((line): [string, string] => [
            line.slice(0, line.indexOf(":")),
            line.slice(line.indexOf(":") + 1).trim(),
          ]),
      );
      const content = WITHOUT_BODY.has(xhr.status) ? null : (xhr.response as Blob);
      resolve(new Response(content, { status: xhr.status, headers }));
    };
    xhr.onerror = () => reject(new AwayError());
    xhr.onabort = () => reject(signal.reason);
    xhr.onloadend = () => signal.removeEventListener("abort", stop);
    signal.addEventListener("abort", stop, { once: true });
    xhr.send(body);
  });
}
