import type { Event } from '@parley/contracts/internal'
import type { Bus } from '@parley/rpc'
import { Follower } from './follower.ts'

/** What to follow, and what to do. */
export type FollowOptions = {
  /** The connection for events. */
  bus: Bus
  /** One filter over subjects; see `eventSubject`. */
  subject: string
  /**
   * The events of one bus message, in the order of the stream, called synchronously. After trouble an event may come a
   * second time. A follower that throws is told to reset.
   */
  onEvents: (events: Event[], info: { seq: number }) => void
  /** Events may be missing between the last call of `onEvents` and the next: whatever was built from them is stale. */
  onReset: () => void
}

/** A reader of the stream that keeps its place; disposing ends it. */
export type EventFollower = AsyncDisposable & {
  /** Milliseconds since the server was last heard of: about a thousand at most while all is well. */
  healthyAgoMs(): number
  /** Sequence of the last message handed over; before the first, where the follower began. */
  lastSeq(): number
}

/**
 * Follows events from now on: resolves when nothing that is stored from then on can be missed. Survives lost connections
 * and restarts of the server without missing anything; when the stream itself lost events, says so by `onReset`.
 */
export async function followEvents(options: FollowOptions): Promise<EventFollower> {
  const follower = new Follower(options)
  await follower.begin()
  return follower
}
