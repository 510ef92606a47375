import type { WebhookEvent } from 'livekit-server-sdk'
import type { Context, Media } from '../../context.ts'
import { readMediaRoomName } from '../../domain/media-room.ts'
import { connectionFrom, isPerson, wasReplaced } from '../../engines/livekit/index.ts'
import { findCall, type CallRow } from '../../store/calls.ts'
import { onConnected } from './on-connected.ts'
import { onDisconnected } from './on-disconnected.ts'
import { onRoomFinished } from './on-room-finished.ts'

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
