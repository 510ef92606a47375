import { goTo, pathOf } from '../state/router.ts'
import type { Chat } from './chat.ts'

/** Creates the direct message if necessary. */
export async function startDm(chat: Chat, participantIds: string[]): Promise<void> {
  const { room } = await chat.server.api.room.startDM({ participantIds })
  if (!room) return
  if (!chat.rooms.sidebar.value.rooms.has(room.id)) chat.rooms.refresh(room.id)
  goTo(pathOf(room.id))
}
