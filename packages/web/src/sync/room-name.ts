import { RoomKind } from '@parley/client/contract'
import { text } from '../messages/texts.ts'
import { read } from '../state/read.ts'
import type { Chat } from './chat.ts'

/** The name of a channel, or of the other people in a direct message; reactive in Svelte. */
export function roomNameOf({ rooms, people, userId }: Chat, roomId: string): string {
  const { room, dmMembers = [] } = read(rooms.sidebar).rooms.get(roomId) ?? {}
  if (room?.kind !== RoomKind.DM) return room?.name ?? ''
  if (dmMembers.length === 0) return '…'
  const partners = dmMembers.filter(({ id }) => id !== userId)
  if (partners.length === 0) return text('room.self')
  const names = partners.map(({ id }) => {
    const user = read(people.of(id))
    return user?.displayName || user?.login || '…'
  })
  return names.join(', ')
}
