import { logger } from '@parley/telemetry'
import type { Context } from '../../context.ts'
import { settleFollows } from '../../store/settle-follows.ts'
import { readUnread, type UnreadRoom } from '../../store/unread.ts'

const log = logger('unread')

/** Finds unread rooms. Where it makes the next call much cheaper, also stores which followed threads are read. */
export async function findUnread({ pool }: Pick<Context, 'pool'>, userId: string): Promise<UnreadRoom[]> {
  const { rooms, toSettle } = await readUnread(pool, userId)
  if (toSettle.length > 0) {
    await settleFollows(pool, userId, toSettle).catch((err: unknown) => log.warn({ err }, 'follows were not settled'))
  }
  return rooms
}
