import { periodically, Resources } from '@parley/runtime'
import type { Context } from '../context.ts'
import { bansToEnd, endBan, hasRunOut, nextBanEnds } from '../store/bans.ts'
import { changeRoom, lockRoom } from '../store/changes.ts'

const bansPerRound = 100
/** Pause before retrying what could not be done. */
const shortestPauseMs = 100

/** Announces expired bans. They stop counting when they expire; the facts inform services that keep copies. */
export function endExpiredBans(ctx: Context, signal: AbortSignal): AsyncDisposable {
  const job = new Resources()
  const ending = job.use(
    periodically({
      name: 'end expired bans',
      everyMs: 10_000,
      afterFailureMs: 1000,
      signal,
      run: async () => {
        const ends = await nextBanEnds(ctx.db, bansPerRound)
        for (const { roomId, userId, ms } of ends) {
          if (ms > 0) return Math.max(ms, shortestPauseMs)
          await endExpired(ctx, roomId, userId)
        }
        return ends.length < bansPerRound ? undefined : shortestPauseMs
      },
    }),
  )
  job.use(bansToEnd.listen(ctx.db, () => ending.wake()))
  return job
}

async function endExpired(ctx: Context, roomId: string, userId: string): Promise<void> {
  const cause = { actorId: '', at: ctx.now() }
  const write = () =>
    ctx.db.transaction(async (tx) => {
      const room = await lockRoom(tx, roomId)
      // Another process may have been faster, or the user was banned again.
      if (!room || !(await hasRunOut(tx, roomId, userId))) return []
      const { room: after, facts } = await changeRoom(tx, room, { case: 'banExpired', value: { userId } }, cause)
      await endBan(tx, { roomId, userId, version: after.version, at: cause.at })
      return facts
    })
  const facts = await ctx.writes.run(roomId, undefined, write)
  // Facts that messaging does not accept in time are delivered later by the job for facts left behind.
  await ctx.delivery.handOver(roomId, facts).catch(() => undefined)
}
