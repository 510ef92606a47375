import type { Db } from '@parley/postgres'
import { KeyedBatcher } from '@parley/runtime'
import { roomNotFound } from '../../errors.ts'
import { isForeignDm } from '../../policy/visibility.ts'
import type { SeenRoom } from '../../store/rows.ts'
import { findStandings } from '../../store/seen-rooms.ts'

/** A room and a user's standing in it; throws `not_found` as `getRoomSeen` does. */
export type Look = (userId: string, roomId: string, viewerId?: string) => Promise<SeenRoom>

const looksAtOnce = 256

/** Reads a room for many people with one statement, so that a crowd in one room does not exhaust the connections. */
export function lookTogether(db: Db): Look {
  const looks = new KeyedBatcher<string, SeenRoom>({
    atOnce: looksAtOnce,
    async run(roomId, userIds) {
      const { room, standings } = await findStandings(db, roomId, [...new Set(userIds)])
      return userIds.map((userId) => {
        const standing = standings.get(userId)
        return standing ? { room, standing } : roomNotFound()
      })
    },
  })
  return async (userId, roomId, viewerId = userId) => {
    const [seen, viewed] = await Promise.all([userId, viewerId].map((id) => looks.submit(roomId, id)))
    // An import has no viewer, so direct messages are not hidden from it.
    if (!seen || !viewed || (viewerId !== '' && isForeignDm(viewed))) throw roomNotFound()
    return seen
  }
}
