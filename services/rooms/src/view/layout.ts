import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ListLayoutResponse_ChannelSchema, ListLayoutResponse_GroupSchema } from '@parley/contracts/internal'
import type { ChannelRow } from '../store/layout.ts'
import type { GroupRow } from '../store/rows.ts'

type Channel = MessageInitShape<typeof ListLayoutResponse_ChannelSchema>
type Group = MessageInitShape<typeof ListLayoutResponse_GroupSchema>

export function toLayout(groups: readonly GroupRow[], channels: readonly ChannelRow[]): Group[] {
  const byGroup = new Map<string, Channel[]>(groups.map(({ id }) => [id, []]))
  for (const { groupId, roomId, name } of channels) byGroup.get(groupId)?.push({ roomId, name })
  return groups.map(({ id, name }) => ({ groupId: id, name, channels: byGroup.get(id) ?? [] }))
}
