import type { Context } from '../../context.ts'
import { changeMembership, changeRoom, lockRoom, type Changed } from '../../store/changes.ts'
import { deleteBan, findStanding } from '../../store/erased-people.ts'

/**
 * Ends the user's membership and ban. Resolves when messaging has applied the facts of this call; the event about the
 * end of a membership is then on the stream.
 */
export async function endStanding(ctx: Context, roomId: string, userId: string): Promise<void> {
  const cause = { actorId: '', at: ctx.now() }
  const write = () =>
    ctx.db.transaction(async (tx) => {
      const room = await lockRoom(tx, roomId)
      if (!room) return []
      const { member, banned } = await findStanding(tx, roomId, userId)
      let changed: Changed = { room, facts: [] }
      const facts = []
      if (member) {
        changed = await changeMembership(tx, changed.room, { userId, member: false }, cause)
        facts.push(...changed.facts)
      }
      if (banned)
        facts.push(...(await changeRoom(tx, changed.room, { case: 'unbanned', value: { userId } }, cause)).facts)
      await deleteBan(tx, roomId, userId)
      return facts
    })
  await ctx.delivery.deliver(roomId, await ctx.writes.run(roomId, undefined, write))
}
