import type { Reader } from '@parley/postgres'
import { serverProfile } from './schema.ts'

export type ServerProfileRow = typeof serverProfile.$inferSelect

export async function getServerProfile(db: Reader): Promise<ServerProfileRow> {
  const [row] = await db.select().from(serverProfile)
  if (!row) throw new Error('the server profile was never seeded')
  return row
}
