import type { Bus } from '@parley/rpc'
import { publishEvents, type TestEvent } from '@parley/testkit'

/** As the relay of a service would. Returns the id. */
export const announce = async (bus: Bus, event: TestEvent): Promise<string> =>
  (await publishEvents(bus, event))[0]?.id ?? ''
