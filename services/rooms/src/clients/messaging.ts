import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { Client } from '@connectrpc/connect'
import type { MessagingInternalService, RoomFact } from '@parley/contracts/internal'
import { messagingSilent } from '../errors.ts'

/** What ApplyRoomFacts is asked and how long the answer may take. */
export type Batch = { roomId: string; facts: RoomFact[]; awaitStream: boolean; timeoutMs: number }
/** The last fact that messaging applied to a room; version 0 for none. Its event id is empty when that was not noted. */
export type HeldFact = { version: bigint; eventId: string }
/** Hands facts to messaging; answers what it holds. */
export type ApplyFacts = (batch: Batch) => Promise<HeldFact>

export function applyFacts(messaging: Client<typeof MessagingInternalService>): ApplyFacts {
  return async ({ timeoutMs, ...request }) => {
    const { heldVersion, heldEventId } = await messaging.applyRoomFacts(request, { timeoutMs })
    return { version: heldVersion, eventId: heldEventId }
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
