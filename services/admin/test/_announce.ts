import type { Bus } from '@parley/rpc'
import { publishEvents, type TestEvent } from '@parley/testkit'

/** Publishes an event like a relay; returns its id. */
export const announce = async (bus: Bus, event: TestEvent): Promise<string> =>
  (await publishEvents(bus, event))[0]?.id ?? ''
