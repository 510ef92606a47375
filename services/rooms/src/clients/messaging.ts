import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { Client } from '@connectrpc/connect'
import type { MessagingInternalService, RoomFact } from '@parley/contracts/internal'
import { messagingSilent } from '../errors.ts'

/** What ApplyRoomFacts is asked and how long the answer may take. */
export type Batch = { roomId: string; facts: RoomFact[]; awaitStream: boolean; timeoutMs: number }
/** Hands facts to messaging; answers the version it holds. */
export type ApplyFacts = (batch: Batch) => Promise<bigint>

export function applyFacts(messaging: Client<typeof MessagingInternalService>): ApplyFacts {
  return async ({ timeoutMs, ...request }) => {
    const { heldVersion } = await messaging.applyRoomFacts(request, { timeoutMs })
    return heldVersion
  }
}

export type RoomState = { hasUnread: boolean; empty: boolean; lastMessageAt: Date | undefined }
/** What messaging knows of rooms for one user; a room it does not hold yet is missing. */
export type RoomStates = ReadonlyMap<string, RoomState>

const roomsPerCall = 5000

/** One call for any usual number of rooms. Without an answer there is no state to show: unavailable. */
export async function roomStates(
  messaging: Client<typeof MessagingInternalService>,
  userId: string,
  roomIds: readonly string[],
): Promise<RoomStates> {
  const calls: string[][] = []
  for (let from = 0; from < roomIds.length; from += roomsPerCall) calls.push(roomIds.slice(from, from + roomsPerCall))
  const answers = await Promise.all(
    calls.map((ids) => messaging.roomStates({ userId, roomIds: ids }, { timeoutMs: 3000 })),
  ).catch((error: unknown) => {
    throw messagingSilent(error)
  })
  return new Map(
    answers.flatMap(({ entries }) =>
      entries.map(({ roomId, hasUnread, empty, lastMessageAt }) => [
        roomId,
        { hasUnread, empty, lastMessageAt: lastMessageAt && timestampDate(lastMessageAt) },
      ]),
    ),
  )
}
