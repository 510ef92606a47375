import { RoomKind } from '@parley/contracts/api'
import type { RoomFact } from '@parley/contracts/internal'
import { roomFact, type Cause } from './room-fact.ts'

export type Channel = { id: string; name: string; description: string; groupId: string; universal: boolean }

/** `head`: the id and, for a channel, its properties. A repeated creation yields the same versions. */
export type NewRoom<Head> = {
  head: Head
  version: bigint
  facts: RoomFact[]
  members: { userId: string; version: bigint }[]
  at: Date
}

/** The creator becomes a member, unless the room is universal or the system creates it. */
export const newChannel = (channel: Channel, cause: Cause): NewRoom<Channel> =>
  newChannelWithMembers(channel, channel.universal || !cause.actorId ? [] : [cause.actorId], cause)

export function newChannelWithMembers(channel: Channel, userIds: readonly string[], cause: Cause): NewRoom<Channel> {
  const { name, groupId, universal } = channel
  const created = roomFact(
    0n,
    { case: 'created', value: { kind: RoomKind.CHANNEL, name, groupId, universal, participantIds: [] } },
    cause,
    1n,
  )
  return withMembers(channel, created, userIds, cause)
}

export function newDm(id: string, participantIds: readonly string[], cause: Cause): NewRoom<{ id: string }> {
  const created = roomFact(
    0n,
    { case: 'created', value: { kind: RoomKind.DM, participantIds: [...participantIds] } },
    cause,
    1n,
  )
  return withMembers({ id }, created, participantIds, cause)
}

function withMembers<Head>(head: Head, created: RoomFact, userIds: readonly string[], cause: Cause): NewRoom<Head> {
  const members = userIds.map((userId, index) => ({ userId, version: BigInt(index + 2) }))
  const joined = members.map(({ userId, version }) =>
    roomFact(version - 1n, { case: 'joined', value: { userId } }, cause, version),
  )
  return { head, version: BigInt(1 + members.length), facts: [created, ...joined], members, at: cause.at }
}
