import type { Event } from '@parley/contracts/internal'
import type { Bus } from '@parley/rpc'
import { controlEvents } from '../subjects.ts'
import { followEvents, type StartOptions } from './follow-events.ts'
import type { EventFollower } from './follower.ts'

export type ControlListener = {
  /** Called synchronously, in the order of the stream. */
  onEvent: (event: Event) => void
  /** Events may have been missed: any state built from them is stale. */
  onReset: () => void
  /** The server has been silent for 2.9 s; called repeatedly until it sends something. */
  onSilence?: () => void
}

/** Events that change permissions or end access; several parts of a process share one feed. */
export type ControlFeed = Omit<EventFollower, 'completeSinceMs'> & {
  subscribe(listener: ControlListener): Disposable
}

/** Follows every control event stored from now on. Rejects only if `signal` is aborted before the feed has started. */
export async function followControl({
  bus,
  signal,
  ...first
}: { bus: Bus } & ControlListener & StartOptions): Promise<ControlFeed> {
  const listeners = new Set<ControlListener>([first])
  const follower = await followEvents({
    ...{ bus, signal },
    subject: controlEvents,
    onEvents: (events) => {
      for (const event of events) for (const listener of listeners) listener.onEvent(event)
    },
    onReset: () => {
      for (const listener of listeners) listener.onReset()
    },
    onSilence: () => {
      for (const listener of listeners) listener.onSilence?.()
    },
  })
  return {
    healthyAgoMs: () => follower.healthyAgoMs(),
    lastSeq: () => follower.lastSeq(),
    subscribe(listener) {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
    [Symbol.asyncDispose]: () => follower[Symbol.asyncDispose](),
  }
}
