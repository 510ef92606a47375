import type { Context } from '../../context.ts'
import { findWhoMayJoin } from '../../policy/eligibility.ts'
import { findRoomRows } from '../../store/access.ts'
import { findRecipients } from '../../store/recipients.ts'

type Selection = Pick<Parameters<typeof findRecipients>[1], 'all' | 'userIds' | 'roleIds'>

export async function findRoomAndRecipients(
  { db, policy }: Pick<Context, 'db' | 'policy'>,
  roomId: string,
  selection: Selection,
  page: { after: string; limit: number },
) {
  const [room] = await findRoomRows(db, [roomId])
  if (!room) return undefined
  const scope = { kind: 'room', roomId, groupId: room.groupId ?? '' } as const
  const eligible = room.universal ? findWhoMayJoin(policy.current(), scope) : undefined
  return { room, userIds: await findRecipients(db, { roomId, eligible, ...selection }, page) }
}
