import type { Context } from '../../context.ts'
import { sessionsOf, type ActiveSession } from '../../domain/sessions.ts'
import { listCredentials } from '../../store/credentials.ts'
import { getAccount } from '../../store/users.ts'

export async function listActiveSessions(
  { db }: Pick<Context, 'db'>,
  userId: string,
  now: Date,
): Promise<readonly ActiveSession[]> {
  return sessionsOf(await listCredentials(db, await getAccount(db, userId), now))
}
