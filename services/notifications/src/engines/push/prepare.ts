import { Code, ConnectError } from '@connectrpc/connect'
import { NotificationLevel, PresenceStatus } from '@parley/contracts/api'
import type { Db } from '@parley/postgres'
import { effectiveLevel, levelOf } from '../../domain/levels.ts'
import { countDirectMessages } from '../../store/push-badges.ts'
import { findChosenLevels } from '../../store/push-levels.ts'
import { findWaiting, type HeldPush } from '../../store/push-turns.ts'
import type { Links } from './links.ts'
import type { Neighbours } from './neighbours.ts'
import { dismissPayload, showPayload } from './payload.ts'
import { ttlSeconds, type PushContent } from './request.ts'
import type { PushAccess } from './room-access.ts'
import { isForThem } from '../../domain/tag.ts'
import { bodyOf, titleOf } from './text.ts'

/** The reason why a push is not sent. */
export type Reason =
  | 'dismissed'
  | 'expired'
  | 'muted'
  | 'do_not_disturb'
  | 'no_access'
  | 'no_message'
  | 'deactivated'
  | 'unsubscribed'

/** A prepared push: its content, or the reason why it is not sent. */
export type Prepared = { push: HeldPush } & ({ content: PushContent } | { reason: Reason })

type Surroundings = { db: Db; neighbours: Neighbours; access: PushAccess; links: Links }

const timeoutMs = 3_000

/**
 * Decides just before sending which pushes of a batch are still needed, and their content. Rejects for the whole batch
 * if a service does not answer or lacks the data.
 */
export async function preparePushes(pushes: readonly HeldPush[], around: Surroundings): Promise<Prepared[]> {
  const early = pushes.map((push) => ({ push, reason: earlyReason(push) }))
  const shows = early.flatMap(({ push, reason }) => (reason || push.action === 'dismiss' ? [] : [push]))
  const known = shows.length === 0 ? undefined : await learn(shows, around)
  return early.map(({ push, reason }): Prepared => {
    if (reason) return { push, reason }
    if (push.action === 'dismiss' || !known) return { push, content: dismissal(push) }
    return showing(push, known, around.links)
  })
}

function earlyReason({ withdrawn, createdAt }: HeldPush): Reason | undefined {
  if (withdrawn) return 'dismissed'
  return Date.now() - createdAt.getTime() > ttlSeconds * 1000 ? 'expired' : undefined
}

const dismissal = ({ tag }: HeldPush): PushContent => ({ payload: dismissPayload(tag), tag, urgency: 'normal' })

type Known = Awaited<ReturnType<typeof learn>>

async function learn(shows: readonly HeldPush[], { db, neighbours, access }: Surroundings) {
  const { accounts, messaging } = neighbours
  const userIds = unique(shows.map(({ userId }) => userId))
  const messages = new Map(shows.map(({ roomId, eventId }) => [eventId, { roomId, eventId }]))
  const roomIds = unique(shows.map(({ roomId }) => roomId))
  const [levels, badges, { presences, unknown }, { profiles }, previews, roomNames] = await Promise.all([
    findChosenLevels(db, shows),
    countDirectMessages(db, userIds),
    accounts.getPresences({ userIds }, { timeoutMs }),
    accounts.getProfiles({ userIds: unique([...userIds, ...shows.map(({ actorId }) => actorId)]) }, { timeoutMs }),
    messaging.previewMessages({ messages: [...messages.values()] }, { timeoutMs }),
    Promise.all(
      roomIds.map(async (roomId) => {
        const those = shows.filter((show) => show.roomId === roomId).map(({ userId }) => userId)
        return [roomId, await access.roomNames(roomId, unique(those))] as const
      }),
    ),
  ])
  if (unknown) throw new ConnectError('do-not-disturb states are not available', Code.Unavailable)
  // Last, because a session may have ended, or a push been withdrawn, during the calls to other services.
  const waiting = await findWaiting(
    db,
    shows.map(({ id }) => id),
  )
  const { MUTED } = NotificationLevel
  const muted = levels.filter(
    (one) => effectiveLevel(levelOf(one.room ?? undefined), levelOf(one.server ?? undefined)) === MUTED,
  )
  const undisturbed = presences.filter(({ status }) => status === PresenceStatus.DO_NOT_DISTURB)
  return {
    ...{ badges, waiting },
    deactivated: new Set(profiles.flatMap(({ user, deactivated }) => (user && deactivated ? [user.id] : []))),
    muted: new Set(muted.map(({ userId, roomId }) => `${roomId} ${userId}`)),
    undisturbed: new Set(undisturbed.map(({ userId }) => userId)),
    names: new Map(profiles.map(({ user }) => [user?.id, user?.displayName])),
    previews: new Map(previews.messages.map((preview) => [preview.eventId, preview])),
    roomNames: new Map(roomNames),
  }
}

function showing(push: HeldPush, known: Known, links: Links): Prepared {
  const { userId, roomId, eventId, actorId, kind, tag, notificationId } = push
  const waits = known.waiting.get(push.id)
  if (!waits) return { push, reason: 'unsubscribed' }
  if (waits.withdrawn) return { push, reason: 'dismissed' }
  if (known.deactivated.has(userId)) return { push, reason: 'deactivated' }
  if (known.undisturbed.has(userId)) return { push, reason: 'do_not_disturb' }
  if (known.muted.has(`${roomId} ${userId}`)) return { push, reason: 'muted' }
  const room = known.roomNames.get(roomId)?.get(userId)
  if (room === undefined) return { push, reason: 'no_access' }
  const message = known.previews.get(eventId)
  if (!message) return { push, reason: 'no_message' }
  const actor = known.names.get(actorId) ?? 'Somebody'
  const happening = { kind, actor, room, preview: message.text, attachments: message.attachments }
  const payload = showPayload({
    ...{ title: titleOf(happening), body: bodyOf(happening), tag, notificationId },
    ...{
      url: links.to(push),
      icon: links.icon,
      appBadge: kind === 'direct_message' ? known.badges.get(userId) : undefined,
    },
  })
  return { push, content: { payload, tag, urgency: isForThem(kind) ? 'high' : 'normal' } }
}

const unique = (ids: readonly string[]): string[] => [...new Set(ids)]
