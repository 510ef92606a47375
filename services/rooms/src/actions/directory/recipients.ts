import type { Context } from '../../context.ts'
import { whoMayJoin } from '../../policy/eligibility.ts'
import { findHeads } from '../../store/access.ts'
import { findRecipients } from '../../store/recipients.ts'

type Wanted = Pick<Parameters<typeof findRecipients>[1], 'all' | 'userIds' | 'roleIds'>

/** A page of effective members of a room, with the room; undefined for an unknown room. */
export async function recipientsIn(
  { db, policy }: Pick<Context, 'db' | 'policy'>,
  roomId: string,
  wanted: Wanted,
  page: { after: string; limit: number },
) {
  const [room] = await findHeads(db, [roomId])
  if (!room) return undefined
  const scope = { kind: 'room', roomId, groupId: room.groupId ?? '' } as const
  const eligible = room.universal ? whoMayJoin(policy.current(), scope) : undefined
  return { room, userIds: await findRecipients(db, { roomId, eligible, ...wanted }, page) }
}
