import { logger } from '@parley/telemetry'
import type { Context } from '../context.ts'
import { findMentioned } from '../actions/room-log/mentions.ts'
import { tellMentions } from '../actions/room-log/tell-mentions.ts'
import { findUnresolved } from '../store/unresolved-mentions.ts'

const log = logger('mentions')

const atOnce = 100
const againMs = 1000

type Needs = Pick<Context, 'handles' | 'policy' | 'pool' | 'writer'>

/**
 * Tells whom messages mention that were posted while accounts did not answer. Answers after how many milliseconds to look
 * again, when there were any.
 */
export async function resolveMentions(ctx: Needs, signal: AbortSignal): Promise<number | void> {
  const unresolved = await findUnresolved(ctx.pool, atOnce)
  const mentioned = await Promise.all(unresolved.map(({ body }) => findMentioned(ctx, body ?? '')))
  for (const [index, message] of unresolved.entries()) {
    const found = mentioned[index]
    if (signal.aborted || !found || found.pending) continue
    try {
      await tellMentions(ctx, message, found, signal)
    } catch (error) {
      log.warn({ err: error, room: message.roomId }, 'mentions of a message are looked up once more')
    }
  }
  if (unresolved.length > 0) return againMs
}
