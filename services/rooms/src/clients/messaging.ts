import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { Client } from '@connectrpc/connect'
import type { MessagingInternalService, RoomFact } from '@parley/contracts/internal'
import type { TheirRoom } from '../domain/restate.ts'
import { messagingUnavailable } from '../errors.ts'

export type Batch = { roomId: string; facts: RoomFact[]; awaitStream: boolean; timeoutMs: number }
/** The last fact that messaging applied; version 0 for none. The event id is empty if it was not recorded. */
export type HeldFact = { version: bigint; eventId: string }
export type ApplyFacts = (batch: Batch) => Promise<HeldFact>

export function applyFacts(messaging: Client<typeof MessagingInternalService>): ApplyFacts {
  return async ({ timeoutMs, ...request }) => {
    const { heldVersion, heldEventId } = await messaging.applyRoomFacts(request, { timeoutMs })
    return { version: heldVersion, eventId: heldEventId }
  }
}

export type HeldRoom = TheirRoom & { held: HeldFact }
/** Undefined if messaging has no facts of the room, or runs an earlier release. */
export type ReadHeldRoom = (roomId: string, aboveVersion: bigint) => Promise<HeldRoom | undefined>

/** The page size of messaging: a shorter page is the last. */
const standingsPerCall = 5000
const readTimeoutMs = 3000

export function readHeldRoom(messaging: Client<typeof MessagingInternalService>): ReadHeldRoom {
  return async (roomId, aboveVersion) => {
    const standings: TheirRoom['standings'] = new Map()
    for (let afterUserId = ''; ;) {
      const request = { roomId, standings: { aboveVersion, afterUserId } }
      const { heldVersion, heldEventId, room } = await messaging.applyRoomFacts(request, { timeoutMs: readTimeoutMs })
      if (!room) return undefined
      for (const { userId, member, banned, banExpiresAt } of room.standings)
        standings.set(userId, { member, banned, expiresAt: banExpiresAt ? timestampDate(banExpiresAt) : null })
      const last = room.standings.at(-1)
      // A change between two pages is found by the next comparison.
      const held = { version: heldVersion, eventId: heldEventId }
      if (!last || room.standings.length < standingsPerCall) return { ...room, standings, held }
      afterUserId = last.userId
    }
  }
}

export type RoomState = { hasUnread: boolean; empty: boolean; lastMessageAt: Date | undefined }
/** Read channels, and rooms that messaging does not know yet, are missing. */
export type RoomStates = ReadonlyMap<string, RoomState>

const roomsPerCall = 5000

/** Throws `unavailable` if a call to messaging fails, because unread state could not be shown. */
export async function readRoomStates(
  messaging: Client<typeof MessagingInternalService>,
  userId: string,
  roomIds: readonly string[],
): Promise<RoomStates> {
  const calls: string[][] = []
  for (let from = 0; from < roomIds.length; from += roomsPerCall) calls.push(roomIds.slice(from, from + roomsPerCall))
  const answers = await Promise.all(
    calls.map((ids) => messaging.roomStates({ userId, roomIds: ids }, { timeoutMs: 3000 })),
  ).catch((error: unknown) => {
    throw messagingUnavailable(error)
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
