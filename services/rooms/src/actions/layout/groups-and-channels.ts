import type { Context } from '../../context.ts'
import { findGroups } from '../../store/groups.ts'
import { findChannelsInOrder, type ChannelRow } from '../../store/layout.ts'
import type { GroupRow } from '../../store/rows.ts'

export async function findGroupsAndChannels({
  db,
}: Pick<Context, 'db'>): Promise<{ groups: GroupRow[]; channels: ChannelRow[] }> {
  const [groups, channels] = await Promise.all([findGroups(db), findChannelsInOrder(db)])
  return { groups, channels }
}
