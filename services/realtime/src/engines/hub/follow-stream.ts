import type { Event } from '@parley/contracts/internal'
import { followEvents } from '@parley/events'
import { retry } from '@parley/runtime'
import type { Host } from '@parley/service'
import type { Rooms } from '../../clients/rooms.ts'
import type { Metrics } from '../../metrics.ts'
import type { Hub } from './hub.ts'
import { Intake, type StreamEntry } from './intake.ts'
import type { NodePolicy } from './node-policy.ts'
import type { SocketOpener } from './socket-opener.ts'
import { deliverTraced } from './deliver-traced.ts'

const retryDelays = { initialMs: 50, maxMs: 2_000 }

type Options = {
  hub: Hub
  opener: SocketOpener
  policy: NodePolicy
  metrics: Metrics
  /** Events from before the start are delivered, too, if they are at most this many milliseconds older than the newest. */
  historyMs: number
  load: () => Promise<void>
}

/** Publishes the events of the stream to sockets in batches; returns the intake, where events wait. */
export async function followStream(host: Host, options: Options): Promise<Intake> {
  const { hub, opener, policy, metrics, load, historyMs } = options
  const delivery = {
    deliver(event: Event, stored: StreamEntry): void {
      policy.apply(event)
      opener.observe(event)
      hub.deliver(event, stored)
    },
    onFailure(event: Event, error: unknown): void {
      metrics.reportEventFailure(event, error)
      // The failed event may have been a change of anybody's access.
      hub.reset()
    },
  }
  const intake = host.use(
    new Intake((events, stored) => {
      for (const event of events) deliverTraced(event, stored, delivery)
    }),
  )
  const follower = host.use(
    await followEvents({
      ...{ bus: host.events, signal: host.signal, historyMs },
      subject: 'evt.>',
      onEvents: (events, stored) => intake.add(events, stored),
      onReset: () => {
        metrics.reportStreamReset()
        intake.flush()
        hub.reset()
        host.background(load().then(() => hub.reset()))
      },
    }),
  )
  intake.flush()
  if (follower.completeSinceMs !== undefined) hub.setReplayableSince(follower.completeSinceMs)
  return intake
}

/** Retries until the request to the service `rooms` succeeds. Rejects only if the signal is aborted. */
export async function loadUniversalRooms(hub: Hub, rooms: Rooms, signal: AbortSignal): Promise<void> {
  const universal = await retry(() => rooms.listUniversalRooms(), { signal, ...retryDelays })
  for (const room of universal) hub.access.universalRooms.set(room)
}
