import type { WebhookEvent } from 'livekit-server-sdk'
import type { Context, Media } from '../../context.ts'
import type { Connection } from '../../domain/connection.ts'
import { readMediaRoomName } from '../../domain/media-room.ts'
import { connectionFrom, isPerson, wasReplaced } from '../../engines/livekit/index.ts'
import { reportComparisonFailure } from '../../metrics.ts'
import { findCall, type CallRow } from '../../store/calls.ts'
import { changeCall, leaveCall } from '../calls/change-call.ts'
import { compareCall } from '../calls/compare-call.ts'
import { findAdmitted } from '../calls/find-admitted.ts'
import { applyOnce, queueMediaChore, type CallWebhook } from './call-webhook.ts'

export async function handleWebhook(ctx: Context, media: Media, event: WebhookEvent): Promise<boolean> {
  const { room } = event
  const call = room && (await findCallOf(ctx, media, room.name))
  if (!call) return false
  const webhook = { ctx, media, call, webhookId: event.id }
  const participant = event.participant && isPerson(event.participant) ? event.participant : undefined
  switch (event.event) {
    case 'participant_joined':
      if (!participant) return false
      await onConnected(webhook, participant.identity, connectionFrom(participant, room.sid))
      return true
    case 'participant_left':
    case 'participant_connection_aborted':
      if (!participant || wasReplaced(participant)) return false
      await onDisconnected(webhook, participant.identity, connectionFrom(participant, room.sid))
      return true
    case 'room_finished':
      // The time of a webhook is truncated to the second, so the last millisecond of that second is used. Participants
      // who joined in that second count as joined before the room ended.
      await onRoomFinished(webhook, room.sid, new Date(Number(event.createdAt) * 1000 + 999))
      return true
    default:
      return false
  }
}

async function findCallOf(ctx: Context, { settings }: Media, name: string): Promise<CallRow | undefined> {
  const named = readMediaRoomName(name)
  if (!named || named.serverId !== settings.serverId) return undefined
  const call = await findCall(ctx.db, named.callId)
  return call?.roomId === named.roomId ? call : undefined
}

/**
 * Removes the user again if they may not be in the call: the token of the connection may be older than a ban, a
 * deactivation or the end of the call.
 */
async function onConnected(webhook: CallWebhook, userId: string, connection: Connection): Promise<void> {
  if (!(await isAdmitted(webhook, userId))) return queueMediaChore(webhook, userId)
  const outcome = await applyOnce(webhook, [userId], (call) => call.applyConnection(userId, connection))
  if (outcome === 'ended') return queueMediaChore(webhook, null)
  // If the user was banned after the first check, the event of the ban may have found no participant to remove.
  if (typeof outcome === 'object' && outcome.result && !(await isAdmitted(webhook, userId))) {
    const about = { source: 'livekit', userIds: [userId] } as const
    await changeCall(webhook.ctx, webhook.call.id, about, (call) => leaveCall(call, userId))
  }
}

const isAdmitted = async ({ ctx, call }: CallWebhook, userId: string): Promise<boolean> =>
  (await findAdmitted(ctx, call.roomId, [userId])).has(userId)

async function onDisconnected(webhook: CallWebhook, userId: string, connection: Connection): Promise<void> {
  const outcome = await applyOnce(webhook, [userId], (call) => {
    call.applyConnection(userId, { ...connection, disconnected: true })
    return call.presentParticipants().length === 0
  })
  if (typeof outcome === 'object' && outcome.result) await endWhenEmpty(webhook)
}

/**
 * Ends the call, unless somebody has joined since or is connected to a newer room of the call. Then compares the call
 * with the media server.
 */
async function onRoomFinished(webhook: CallWebhook, mediaRoomSid: string, closedAt: Date): Promise<void> {
  const outcome = await applyOnce(webhook, [], (call) => call.closeMediaRoom(mediaRoomSid, closedAt))
  if (typeof outcome === 'object' && outcome.result) await endWhenEmpty(webhook)
}

/**
 * Compares a call with the media server, and ends the call if it has no participants. The stored participants are not
 * enough: the webhook of a newer participant may be in flight. If the comparison fails, the periodic one ends the call.
 */
async function endWhenEmpty({ ctx, media, call }: CallWebhook): Promise<void> {
  try {
    await compareCall(ctx, media, call, 'livekit')
  } catch (error) {
    reportComparisonFailure(error, call.id)
  }
}
