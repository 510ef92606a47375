import type { Db } from '@parley/postgres'
import { KeyedBatcher } from '@parley/runtime'
import { roomNotFound } from '../../errors.ts'
import { isDmOfOthers } from '../../policy/visibility.ts'
import type { RoomWithStanding } from '../../store/rows.ts'
import { getStandingsInRoom } from '../../store/rooms.ts'

/**
 * `viewerId`: the user who asks, if not `userId`; empty for an import. Throws `not_found` for an unknown room, and for
 * a direct message in which the viewer does not take part.
 */
export type ReadRoom = (userId: string, roomId: string, viewerId?: string) => Promise<RoomWithStanding>

const maxReadsPerStatement = 256

/** Combines concurrent reads of one room, so that a crowd there does not exhaust the connections. */
export function batchRoomReads(db: Db): ReadRoom {
  const batcher = new KeyedBatcher<string, RoomWithStanding>({
    maxWeight: maxReadsPerStatement,
    async run(roomId, userIds) {
      const { room, standings } = await getStandingsInRoom(db, roomId, [...new Set(userIds)])
      return userIds.map((userId) => {
        const standing = standings.get(userId)
        return standing ? { room, standing } : roomNotFound()
      })
    },
  })
  return async (userId, roomId, viewerId = userId) => {
    const [ofUser, ofViewer] = await Promise.all([userId, viewerId].map((id) => batcher.submit(roomId, id)))
    if (!ofUser || !ofViewer || (viewerId !== '' && isDmOfOthers(ofViewer))) throw roomNotFound()
    return ofUser
  }
}
