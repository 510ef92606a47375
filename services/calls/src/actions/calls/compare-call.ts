import type { Context, Media } from '../../context.ts'
import type { MediaParticipant } from '../../engines/livekit/index.ts'
import type { CallRow } from '../../store/calls.ts'
import { findParticipants, type ParticipantRow } from '../../store/participants.ts'
import type { Call, Source } from '../../domain/call.ts'
import { reportMediaFailure } from '../../metrics.ts'
import { changeCall, mediaRoomOf } from './change-call.ts'
import { findAdmitted } from './find-admitted.ts'

/**
 * Compares the participants of a call with those on the media server and with those who may be in it. Participants
 * whose rows change meanwhile are left to the next comparison. If the media server fails, reports it and changes
 * nothing. Throws if the call of the service `rooms` fails.
 */
export async function compareCall(ctx: Context, media: Media, row: CallRow, source: Source): Promise<void> {
  const before = new Map((await findParticipants(ctx.db, row.id)).map((one) => [one.userId, one]))
  const listed = await listParticipants(media, row)
  if (!listed) return
  const seen = new Map(listed.map((one) => [one.userId, one]))
  const present = [...before.values()].filter(({ leftAt }) => leftAt === null).map(({ userId }) => userId)
  const userIds = [...new Set([...present, ...seen.keys()])]
  const admitted = await findAdmitted(ctx, row.roomId, userIds)
  await changeCall(ctx, row.id, { source, userIds }, (call) => {
    for (const userId of userIds) {
      if (call.find(userId)?.revision !== before.get(userId)?.revision) continue
      compareParticipant(call, userId, seen.get(userId), admitted.has(userId))
    }
    if (call.presentParticipants().length === 0) call.end()
  })
}

async function listParticipants(media: Media, row: CallRow): Promise<MediaParticipant[] | undefined> {
  try {
    return await media.server.listParticipants(mediaRoomOf(media, row))
  } catch (error) {
    reportMediaFailure(error, 'list participants')
    return undefined
  }
}

function compareParticipant(call: Call, userId: string, seen: MediaParticipant | undefined, isAdmitted: boolean): void {
  const known = call.find(userId)
  if (!isAdmitted) {
    if (seen) call.removals.add(userId)
    return call.leave(userId)
  }
  if (!seen) return call.recordUnlisted(userId)
  if (isExpected(known, seen)) return call.recordListed(userId, seen.connection)
  call.removals.add(userId)
}

const isExpected = (known: ParticipantRow | undefined, { connection }: MediaParticipant): boolean =>
  known === undefined || known.leftAt === null || connection.connectedAt > known.connectedAt
