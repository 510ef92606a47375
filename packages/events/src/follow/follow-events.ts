import { Follower, type EventFollower, type FollowOptions } from './follower.ts'

/** Ends the trying at start. */
export type GivingUp = { signal?: AbortSignal | undefined }

/**
 * Follows events from now on: resolves when nothing that is stored from then on can be missed. Survives lost connections
 * and restarts of the server without missing anything; when the stream itself lost events, says so by `onReset`. Begins once
 * admin answers, however long that takes; rejects only when `signal` fires before.
 */
export async function followEvents({ signal, ...options }: FollowOptions & GivingUp): Promise<EventFollower> {
  const follower = new Follower(options)
  await follower.begin(signal)
  return follower
}
