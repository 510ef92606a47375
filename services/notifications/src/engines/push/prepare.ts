import { Code, ConnectError } from '@connectrpc/connect'
import { NotificationLevel, PresenceStatus } from '@parley/contracts/api'
import type { Db } from '@parley/postgres'
import { effectiveLevel, levelOf } from '../../domain/levels.ts'
import { countDirectMessages } from '../../store/push-badges.ts'
import { findChosenLevels } from '../../store/push-levels.ts'
import { findQueued, type LeasedPush } from '../../store/push-leases.ts'
import type { Links } from './links.ts'
import type { ServiceClients } from './service-clients.ts'
import { dismissPayload, showPayload } from './payload.ts'
import { ttlSeconds, type PushContent } from './request.ts'
import type { RoomNames } from './room-names.ts'
import { isPersonal } from '../../domain/tag.ts'
import { bodyOf, titleOf } from './text.ts'

export type Reason =
  | 'dismissed'
  | 'expired'
  | 'muted'
  | 'do_not_disturb'
  | 'no_access'
  | 'no_message'
  | 'deactivated'
  | 'unsubscribed'

export type Prepared = { push: LeasedPush } & ({ content: PushContent } | { reason: Reason })

type PrepareContext = { db: Db; services: ServiceClients; roomNames: RoomNames; links: Links }

const timeoutMs = 3_000

/**
 * Decides just before sending which pushes are still needed, and their content. Rejects for the whole batch if a
 * service does not answer or presence is not known.
 */
export async function preparePushes(pushes: readonly LeasedPush[], context: PrepareContext): Promise<Prepared[]> {
  const early = pushes.map((push) => ({ push, reason: earlyReason(push) }))
  const shows = early.flatMap(({ push, reason }) => (reason || push.action === 'dismiss' ? [] : [push]))
  const details = shows.length === 0 ? undefined : await fetchDetails(shows, context)
  return early.map(({ push, reason }): Prepared => {
    if (reason) return { push, reason }
    if (push.action === 'dismiss' || !details) return { push, content: dismissal(push) }
    return prepareShow(push, details, context.links)
  })
}

function earlyReason({ withdrawn, createdAt }: LeasedPush): Reason | undefined {
  if (withdrawn) return 'dismissed'
  return Date.now() - createdAt.getTime() > ttlSeconds * 1000 ? 'expired' : undefined
}

const dismissal = ({ tag }: LeasedPush): PushContent => ({ payload: dismissPayload(tag), tag, urgency: 'normal' })

type Details = Awaited<ReturnType<typeof fetchDetails>>

async function fetchDetails(shows: readonly LeasedPush[], { db, services, roomNames }: PrepareContext) {
  const { accounts, messaging } = services
  const userIds = unique(shows.map(({ userId }) => userId))
  const messages = new Map(shows.map(({ roomId, eventId }) => [eventId, { roomId, eventId }]))
  const roomIds = unique(shows.map(({ roomId }) => roomId))
  const [levels, badges, { presences, unknown }, { profiles }, previews, namesByRoom] = await Promise.all([
    findChosenLevels(db, shows),
    countDirectMessages(db, userIds),
    accounts.getPresences({ userIds }, { timeoutMs }),
    accounts.getProfiles({ userIds: unique([...userIds, ...shows.map(({ actorId }) => actorId)]) }, { timeoutMs }),
    messaging.previewMessages({ messages: [...messages.values()] }, { timeoutMs }),
    Promise.all(
      roomIds.map(async (roomId) => {
        const roomUserIds = shows.filter((show) => show.roomId === roomId).map(({ userId }) => userId)
        return [roomId, await roomNames.namesFor(roomId, unique(roomUserIds))] as const
      }),
    ),
  ])
  if (unknown) throw new ConnectError('do-not-disturb states are not available', Code.Unavailable)
  // Read last: during the calls above, a session may have ended or a push may have been withdrawn.
  const queued = await findQueued(
    db,
    shows.map(({ id }) => id),
  )
  const { MUTED } = NotificationLevel
  const muted = levels.filter(
    (one) => effectiveLevel(levelOf(one.room ?? undefined), levelOf(one.server ?? undefined)) === MUTED,
  )
  const doNotDisturb = presences.filter(({ status }) => status === PresenceStatus.DO_NOT_DISTURB)
  return {
    ...{ badges, queued },
    deactivated: new Set(profiles.flatMap(({ user, deactivated }) => (user && deactivated ? [user.id] : []))),
    muted: new Set(muted.map(({ userId, roomId }) => `${roomId} ${userId}`)),
    doNotDisturb: new Set(doNotDisturb.map(({ userId }) => userId)),
    names: new Map(profiles.map(({ user }) => [user?.id, user?.displayName])),
    previews: new Map(previews.messages.map((preview) => [preview.eventId, preview])),
    roomNames: new Map(namesByRoom),
  }
}

function prepareShow(push: LeasedPush, details: Details, links: Links): Prepared {
  const { userId, roomId, eventId, actorId, kind, tag, notificationId } = push
  const queued = details.queued.get(push.id)
  if (!queued) return { push, reason: 'unsubscribed' }
  if (queued.withdrawn) return { push, reason: 'dismissed' }
  if (details.deactivated.has(userId)) return { push, reason: 'deactivated' }
  if (details.doNotDisturb.has(userId)) return { push, reason: 'do_not_disturb' }
  if (details.muted.has(`${roomId} ${userId}`)) return { push, reason: 'muted' }
  const room = details.roomNames.get(roomId)?.get(userId)
  if (room === undefined) return { push, reason: 'no_access' }
  const message = details.previews.get(eventId)
  if (!message) return { push, reason: 'no_message' }
  const actor = details.names.get(actorId) ?? 'Somebody'
  const summary = { kind, actor, room, preview: message.text, attachments: message.attachments }
  const payload = showPayload({
    ...{ title: titleOf(summary), body: bodyOf(summary), tag, notificationId },
    ...{
      url: links.to(push),
      icon: links.icon,
      appBadge: kind === 'direct_message' ? details.badges.get(userId) : undefined,
    },
  })
  return { push, content: { payload, tag, urgency: isPersonal(kind) ? 'high' : 'normal' } }
}

const unique = (ids: readonly string[]): string[] => [...new Set(ids)]
