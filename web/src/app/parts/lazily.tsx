import type { Client } from "asi-client";
import { type ComponentType, h } from "preact";
import { isOutdated } from "../../view/use-loaded.js";
import { Requested, useRequest } from "./request.js";

/**
 * Returns a view that is loaded when it is first shown. A service worker caches the script. Without the cache, the page says that the
 * service is unreachable, and offers a reload when the service is back, because a browser does not fetch a script again after a failed
 * attempt.
 */
export function lazily<Props extends { client: Client }>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  return (props: Props) => {
    const request = useRequest("view", async () => {
      if (loaded !== null) return;
      try {
        loaded = await load();
      } catch {
        // throws if the service is unreachable
        await props.client.GET("/api/v1/account/");
        isOutdated.value = true;
      }
    });
    if (loaded !== null) return h(loaded as ComponentType<object>, props);
    return (
      <Requested request={request} what="this part of the page">
        {() => null}
      </Requested>
    );
  };
}
