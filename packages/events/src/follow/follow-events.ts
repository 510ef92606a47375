import { Follower, type EventFollower, type FollowOptions } from './follower.ts'

/** Aborts the attempts to start. */
export type GivingUp = { signal?: AbortSignal | undefined }

/**
 * Follows events from now on: resolves when nothing that is stored from then on can be missed. Survives lost
 * connections and restarts of the server without missing anything. Calls `onReset` if the stream itself has lost
 * events. Waits for admin without a limit; rejects only if `signal` fires first.
 */
export async function followEvents({ signal, ...options }: FollowOptions & GivingUp): Promise<EventFollower> {
  const follower = new Follower(options)
  await follower.begin(signal)
  return follower
}
