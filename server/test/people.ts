import { service, type TestAccount, TestService } from "./service.js";

/** Registers a manager who may create managed athletes, with a service that allows this to every new manager. */
export async function managingManager(
  more: Record<string, unknown> = {},
  query = "",
  at?: TestService,
): Promise<TestAccount> {
  const s = at ?? (await service());
  const granting = await TestService.start(s.store, { grantManagedAthletes: true });
  const registered = await granting.manager(more, query);
  await granting.stop();
  return { ...registered, token: await s.logIn(registered.username, registered.password) };
}
