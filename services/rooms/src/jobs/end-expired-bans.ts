import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { endBan, expiredBans, hasRunOut } from '../store/bans.ts'
import { changeRoom, lockRoom } from '../store/changes.ts'

const bansPerRound = 100

/** Says that bans ran out. They count no more from the moment on anyway; this tells those who keep copies. */
export function endExpiredBans(ctx: Context, signal: AbortSignal): AsyncDisposable {
  return periodically({
    name: 'end expired bans',
    everyMs: 1000,
    signal,
    run: async () => {
      for (const { roomId, userId } of await expiredBans(ctx.db, bansPerRound)) await endExpired(ctx, roomId, userId)
    },
  })
}

async function endExpired(ctx: Context, roomId: string, userId: string): Promise<void> {
  const cause = { actorId: '', at: ctx.now() }
  const write = () =>
    ctx.db.transaction(async (tx) => {
      const room = await lockRoom(tx, roomId)
      // Another process may have been faster, or somebody banned again.
      if (!room || !(await hasRunOut(tx, roomId, userId))) return []
      const { room: after, facts } = await changeRoom(tx, room, { case: 'banExpired', value: { userId } }, cause)
      await endBan(tx, { roomId, userId, version: after.version, at: cause.at })
      return facts
    })
  const facts = await ctx.turns.take(roomId, undefined, write)
  // What messaging does not take in time is handed over as left behind.
  await ctx.line.handOver(roomId, facts).catch(() => undefined)
}
