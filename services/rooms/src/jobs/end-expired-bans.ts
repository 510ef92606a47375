import { periodically, Resources } from '@parley/runtime'
import type { Context } from '../context.ts'
import type { RoomFact } from '@parley/contracts/internal'
import { forEachConcurrently } from '../domain/for-each-concurrently.ts'
import { endBan, expiringBanChannel, findNextBanEnds, isBanToEnd } from '../store/bans.ts'
import { changeRoom, lockRoom } from '../store/changes.ts'

const bansPerRun = 100
const maxConcurrentDeliveries = 16
const minPauseMs = 100

/** An expired ban has no effect; the fact is for services that keep copies. */
export function endExpiredBans(ctx: Context, signal: AbortSignal): AsyncDisposable {
  const job = new Resources()
  const task = job.use(
    periodically({
      name: 'end expired bans',
      everyMs: 10_000,
      afterFailureMs: 1000,
      signal,
      run: async () => {
        const ends = await findNextBanEnds(ctx.db, bansPerRun)
        const due = ends.filter(({ msLeft }) => msLeft <= 0)
        const failures: unknown[] = []
        // If a ban cannot be ended, for example because its room stays locked, the other bans are still ended.
        const ended = new Map<string, RoomFact[]>()
        for (const { roomId, userId } of due)
          await endExpired(ctx, roomId, userId).then(
            (facts) => ended.set(roomId, [...(ended.get(roomId) ?? []), ...facts]),
            (error: unknown) => failures.push(error),
          )
        // If a delivery fails, the job for facts left behind repeats it.
        await forEachConcurrently([...ended], maxConcurrentDeliveries, ([roomId, facts]) =>
          ctx.delivery.deliver(roomId, facts).catch(() => undefined),
        )
        if (failures.length > 0) throw failures[0]
        const next = ends[due.length]
        if (next) return Math.max(next.msLeft, minPauseMs)
        return ends.length < bansPerRun ? undefined : minPauseMs
      },
    }),
  )
  job.use(expiringBanChannel.listen(ctx.db, () => task.wake()))
  return job
}

async function endExpired(ctx: Context, roomId: string, userId: string): Promise<RoomFact[]> {
  const cause = { actorId: '', at: ctx.now() }
  const write = () =>
    ctx.db.transaction(async (tx) => {
      const room = await lockRoom(tx, roomId)
      if (!room || !(await isBanToEnd(tx, roomId, userId))) return []
      const { room: after, facts } = await changeRoom(tx, room, { case: 'banExpired', value: { userId } }, cause)
      await endBan(tx, { roomId, userId, version: after.version, at: cause.at })
      return facts
    })
  return ctx.writes.run(roomId, undefined, write)
}
