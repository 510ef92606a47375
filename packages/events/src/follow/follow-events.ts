import { Follower, type EventFollower, type FollowOptions } from './follower.ts'

/** `signal` aborts the attempts to start. */
export type StartOptions = { signal?: AbortSignal | undefined }

/**
 * Follows events from now on or, with `historyMs`, earlier ones too. Once it resolves, every event stored from then on
 * will be delivered, even across lost connections and restarts of the server. Calls `onReset` if the stream itself has
 * lost events. Waits for admin without a limit; rejects only if `signal` is aborted first.
 */
export async function followEvents({ signal, ...options }: FollowOptions & StartOptions): Promise<EventFollower> {
  const follower = new Follower(options)
  await follower.begin(signal)
  return follower
}
