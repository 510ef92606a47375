import { eq } from 'drizzle-orm'
import { newId } from '@parley/ids'
import type { Db } from '@parley/postgres'
import { lobby } from './schema.ts'

export type LobbyIds = { groupId: string; announcementsId: string; generalId: string }

export async function reserveLobby(db: Db): Promise<LobbyIds> {
  await db
    .insert(lobby)
    .values({ id: 'server', groupId: newId('group'), announcementsId: newId('room'), generalId: newId('room') })
    .onConflictDoNothing()
  const [reserved] = await db.select().from(lobby).where(eq(lobby.id, 'server'))
  if (!reserved) throw new Error('the reservation is missing although it was just stored')
  return reserved
}
