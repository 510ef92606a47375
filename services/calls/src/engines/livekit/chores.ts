import { runJobs, type RetryPolicy } from '@parley/jobs'
import type { Db } from '@parley/postgres'
import { tokenLifeMs } from '../../domain/limits.ts'
import { reportChoreGivenUp, reportMediaFailure } from '../../metrics.ts'
import { readMediaRoomName } from '../../domain/media-room.ts'
import { mediaChoreQueue, type MediaChore } from '../../store/media-chores.ts'
import { hasJoinedSince } from '../../store/participants.ts'
import type { Media } from './media-server.ts'

const choresAtOnce = 16
/** Longer than the timeout of a request to the media server. */
const leaseMs = 20_000
const retry: RetryPolicy = { initialMs: 1_000, maxMs: 5_000, maxAgeMs: tokenLifeMs }

/**
 * A process runs its own chores immediately after their commit. Any process runs the chores that are due later, such as
 * retries.
 */
export function doMediaChores(
  db: Db,
  { server }: Media,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): AsyncDisposable {
  const report = (error: unknown, { userId }: MediaChore) =>
    reportMediaFailure(error, userId === null ? 'close a room' : 'remove a participant')
  return runJobs({
    ...{ name: 'media chores', db, queue: mediaChoreQueue, atOnce: choresAtOnce, leaseMs, everyMs, retry, signal },
    run: async ({ mediaRoom, userId, createdAt }) => {
      const callId = readMediaRoomName(mediaRoom)?.callId ?? ''
      if (userId === null) await server.deleteRoom(mediaRoom)
      else if (!(await hasJoinedSince(db, { callId, userId }, createdAt)))
        await server.removeParticipant(mediaRoom, userId)
    },
    onFailure: (chore, { error }) => report(error, chore),
    giveUp: (chore, { error }) => {
      report(error, chore)
      reportChoreGivenUp(chore.mediaRoom)
      return Promise.resolve()
    },
  })
}
