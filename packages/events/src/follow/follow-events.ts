import { Follower, type EventFollower, type FollowOptions } from './follower.ts'

/**
 * Follows events from now on: resolves when nothing that is stored from then on can be missed. Survives lost connections
 * and restarts of the server without missing anything; when the stream itself lost events, says so by `onReset`.
 */
export async function followEvents(options: FollowOptions): Promise<EventFollower> {
  const follower = new Follower(options)
  await follower.begin()
  return follower
}
