/** Body of a webhook, and the addresses of host names in tests of webhooks. */
import type { AddressLookup } from "../src/domain/change/address-lookup.js";

const NAMES: Record<string, string[]> = {
  "public.example": ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
  "private.example": ["10.1.2.3"],
  "mixed.example": ["93.184.215.14", "127.0.0.1"],
  "six.example": ["fd00::1"],
};
export const lookup: AddressLookup = async (name) => {
  const found = NAMES[name];
  if (found === undefined) throw new Error("ENOTFOUND");
  return found;
};

export const fields = {
  webhook_url: "https://public.example/hook?key=1",
  secret_token: "sesame-open",
  activity_events: true,
  timeframes_events: false,
};
