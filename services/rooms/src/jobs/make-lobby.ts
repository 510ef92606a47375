import { enqueue } from '@parley/events'
import { denyPosting } from '../clients/admin.ts'
import type { Context } from '../context.ts'
import { roomGroupsUpdated } from '../domain/layout-event.ts'
import { newChannel } from '../domain/new-room.ts'
import { logFirstGroupCreated } from '../metrics.ts'
import { anyChannelExists } from '../store/channels.ts'
import { appendGroup } from '../store/groups.ts'
import { appendItem, nextLayoutVersion } from '../store/layout.ts'
import { reserveLobby } from '../store/lobby.ts'
import { channelRow, insertRoom } from '../store/new-rooms.ts'
import { retryUntilSuccess } from './retry-until-success.ts'

/** Creates the first rooms of a new server. Resolves once there is a channel; retries after failures. */
export function makeLobby(ctx: Context, signal: AbortSignal): Promise<void> {
  return retryUntilSuccess('make the first rooms', signal, () => makeOnce(ctx))
}

async function makeOnce(ctx: Context): Promise<void> {
  if (await anyChannelExists(ctx.db)) return
  const { groupId, announcementsId, generalId } = await reserveLobby(ctx.db)
  await denyPosting(ctx.admin, announcementsId, '')

  const cause = { actorId: '', at: ctx.now() }
  const channel = { description: '', groupId }
  const made = [
    newChannel({ ...channel, id: announcementsId, name: 'announcements', universal: true }, cause),
    newChannel({ ...channel, id: generalId, name: 'general', universal: false }, cause),
  ]
  const entries = await ctx.db.transaction(async (tx) => {
    const layoutVersion = await nextLayoutVersion(tx)
    if (await anyChannelExists(tx)) return []
    await appendGroup(tx, { id: groupId, name: 'Lobby', description: '', createdAt: cause.at })
    for (const room of made) {
      await insertRoom(tx, channelRow(room), room)
      await appendItem(tx, groupId, 'room', room.head.id)
    }
    return await enqueue(tx, roomGroupsUpdated(layoutVersion, { groupId, roomId: '' }, cause))
  })
  if (entries.length === 0) return
  logFirstGroupCreated(groupId)
  ctx.relay.wake(entries)
  // Messaging may start later; the job for facts left behind then delivers them.
  await Promise.allSettled(made.map(({ head, facts }) => ctx.delivery.deliver(head.id, facts)))
}
