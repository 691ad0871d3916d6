import { service, startService, type TestAccount } from "./service.js";

/** A manager who may create managed athletes: registered where every new manager may. */
export async function managingManager(more: Record<string, unknown> = {}, query = ""): Promise<TestAccount> {
  const granting = await startService({ grantManagedAthletes: true });
  const registered = await granting.manager(more, query);
  await granting.stop();
  return { ...registered, token: await (await service()).logIn(registered.username, registered.password) };
}
