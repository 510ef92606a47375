import { Code, ConnectError } from '@connectrpc/connect'
import { runJobs, type RetryPolicy } from '@parley/jobs'
import { logger } from '@parley/telemetry'
import type { Context } from '../context.ts'
import { findMentions } from '../actions/room-log/mentions.ts'
import { announceMentions } from '../actions/room-log/announce-mentions.ts'
import { bodyOf, mentionQueue } from '../store/unresolved-mentions.ts'

const log = logger('mentions')

const maxConcurrent = 16
const everyMs = 10_000
/** Attempts are unlimited, because the service `accounts` will answer eventually. */
const retry: RetryPolicy = { initialMs: 1_000, maxMs: 5_000 }

type Needs = Pick<Context, 'db' | 'handles' | 'policy' | 'pool' | 'writer'>

export function resolveMentions(ctx: Needs, signal: AbortSignal): AsyncDisposable {
  return runJobs({
    ...{ name: 'resolve mentions', db: ctx.db, queue: mentionQueue, atOnce: maxConcurrent, everyMs, retry, signal },
    async run(message, stop) {
      const mentioned = await findMentions(ctx, await bodyOf(ctx.pool, message))
      if (mentioned.pending)
        throw new ConnectError('accounts did not resolve the mentions of a message', Code.Unavailable)
      await announceMentions(ctx, message, mentioned, stop)
      return 'ended'
    },
    onFailure: ({ roomId }, { error, isOutage }) => {
      if (!isOutage)
        log.warn(
          { err: error, room: roomId },
          'the mentions of a message could not be resolved; the job will try again',
        )
    },
  })
}
