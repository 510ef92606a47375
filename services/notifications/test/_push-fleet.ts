import { newVapidKeys } from '@parley/config'
import type { Service } from '@parley/runtime'
import { PushService } from '@parley/testkit'
import { openForTests } from '@parley/testkit/open-for-tests'
import type { Overrides } from '../src/service.ts'
import { queueDismissals, queuePushes, type CreatedNotification } from '../src/engines/push/queue.ts'
import { openFleet } from './_fleet.ts'
import { notification } from './_push-jobs.ts'

export const vapid = newVapidKeys()

export const pushOn = {
  PARLEY_PUSH_ENABLED: 'true',
  PARLEY_PUSH_VAPID_PUBLIC_KEY: vapid.publicKey,
  PARLEY_PUSH_VAPID_PRIVATE_KEY: vapid.privateKey,
  PARLEY_PUSH_VAPID_SUBJECT: 'mailto:push@example.org',
  PARLEY_WEBSERVER_URL: 'https://chat.example',
}

export const giveUpMs = 3_600_000

/** Short, so that failed pushes are retried almost at once. */
const retryLimits = { initialMs: 40, maxMs: 200, giveUpMs }

export type PushFleet = Awaited<ReturnType<typeof openPushFleet>>

export async function openPushFleet() {
  const fleet = await openFleet()
  const service = fleet.use(await PushService.start())
  const { db, fakes } = fleet
  return {
    ...{ fleet, service },
    start: (overrides?: Overrides['push']): Promise<Service> =>
      fleet.start(
        { ...pushOn, PARLEY_PUSH_ALLOW_PRIVATE_ENDPOINTS: 'true' },
        { push: { retryLimits, pollMs: 100, ...overrides } },
      ),
    async subscribe(userId: string, name: string, at = service): Promise<string> {
      const browser = at.subscribe(name)
      await fleet.as(userId).push.subscribe(browser)
      return browser.endpoint
    },
    async notify(userId: string, fields: Partial<CreatedNotification> = {}): Promise<void> {
      const created = notification(userId, fields)
      const { roomId, eventId } = created
      const room = fakes.rooms.get(roomId) ?? fakes.room(roomId, [], { name: 'general' })
      room.members.add(userId)
      if (!fakes.previews.has(eventId)) fakes.previews.set(eventId, { text: `text of ${eventId}` })
      // Like another process, without waking the sender of this one.
      await db.transaction((tx) => queuePushes(tx, [created]))
    },
    dismiss: (userId: string, tag: string) => db.transaction((tx) => queueDismissals(tx, [{ userId, tag }])),
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
}

/** Opens a fleet for the tests of a file. */
export const usePushFleet = () => openForTests(openPushFleet)
