import { RoomKind } from '@parley/contracts/api'
import type { RoomFact } from '@parley/contracts/internal'
import { roomFact, roomFacts, type Cause } from './room-fact.ts'

export type Channel = { id: string; name: string; description: string; groupId: string; universal: boolean }

/** A room that is about to be stored, with everything it starts with. */
export type NewRoom<Head> = {
  head: Head
  version: bigint
  facts: RoomFact[]
  members: { userId: string; version: bigint }[]
  at: Date
}

/** A channel; the one who makes it belongs to it, unless the room is universal or the system makes it. */
export const newChannel = (channel: Channel, cause: Cause): NewRoom<Channel> =>
  newChannelOf(channel, channel.universal || !cause.actorId ? [] : [cause.actorId], cause)

/** A channel of these people. */
export function newChannelOf(channel: Channel, userIds: readonly string[], cause: Cause): NewRoom<Channel> {
  const { name, groupId, universal } = channel
  const created = roomFact(
    0n,
    { case: 'created', value: { kind: RoomKind.CHANNEL, name, groupId, universal, participantIds: [] } },
    cause,
  )
  return withMembers(channel, created, userIds, cause)
}

/** A direct message of these people, who all belong to it from the start. */
export function newDm(id: string, participantIds: readonly string[], cause: Cause): NewRoom<{ id: string }> {
  const created = roomFact(
    0n,
    { case: 'created', value: { kind: RoomKind.DM, participantIds: [...participantIds] } },
    cause,
  )
  return withMembers({ id }, created, participantIds, cause)
}

function withMembers<Head>(head: Head, created: RoomFact, userIds: readonly string[], cause: Cause): NewRoom<Head> {
  const joined = roomFacts(
    created.version,
    userIds.map((userId) => ({ case: 'joined', value: { userId } })),
    cause,
  )
  const members = joined.map(({ version }, index) => ({ userId: userIds[index] ?? '', version }))
  const facts = [created, ...joined]
  return { head, version: facts.at(-1)?.version ?? created.version, facts, members, at: cause.at }
}
