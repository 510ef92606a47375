import type { Bus } from '@parley/rpc'
import { publishEvents, type TestEvent } from '@parley/testkit'

/** Puts an event on the stream, as the relay of some service would. Returns its id. */
export const announce = async (bus: Bus, event: TestEvent): Promise<string> =>
  (await publishEvents(bus, event))[0]?.id ?? ''
