import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import { NotificationLevel, PresenceStatus } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import { usePushFleet, vapid } from './_push-fleet.ts'
import { queuedPushes } from './_push-jobs.ts'

const push = usePushFleet()
let user = ''
let count = 0

beforeAll(() => push.start())
beforeEach(() => {
  user = `U${++count}`
  push.service.answer = () => ({ status: 201 })
})

const waitUntilDrained = () => eventually(async () => expect(await queuedPushes(push.fleet.db)).toEqual([]))

async function pushesAt(browser: string, times = 1) {
  await eventually(() => expect(push.service.receivedBy(browser)).toHaveLength(times))
  return push.service.receivedBy(browser)
}

test('a push is encrypted for its browser and signed, and has TTL, urgency and topic', async () => {
  await push.subscribe(user, 'whole')
  push.fleet.fakes.previews.set('E1', { text: 'lunch?' })
  await push.notify(user, { eventId: 'E1', notificationId: 'N1' })
  const [received] = await pushesAt('whole')
  expect(received).toMatchObject({ ttl: '86400', urgency: 'high', recordSize: 2048 })
  expect(received?.topic).toMatch(/^[\w-]{32}$/)
  const shown = {
    title: 'Uactor mentioned you in #general',
    body: 'lunch?',
    icon: 'https://chat.example/icons/icon-192.png',
    badge: 'https://chat.example/icons/icon-192.png',
    tag: 'mention-E1',
  }
  const url = 'https://chat.example/chat/-/R1?highlight=E1'
  expect(received?.payload).toEqual({
    ...{ ...shown, web_push: 8030, mutable: true, notificationId: 'N1', url },
    notification: { ...shown, navigate: url, data: { notificationId: 'N1', url } },
  })
  expect(received?.vapid).toMatchObject({
    header: { typ: 'JWT', alg: 'ES256' },
    claims: { aud: push.service.url, sub: 'mailto:push@example.org', exp: expect.any(Number) },
    ...{ isSigned: true, publicKey: vapid.publicKey },
  })
  const hours = (Number(received?.vapid.claims['exp']) * 1000 - Date.now()) / 3_600_000
  expect(hours).toBeGreaterThan(0)
  expect(hours).toBeLessThanOrEqual(24)
  await waitUntilDrained()
})

test('each browser of the recipient gets the push, and no other browser does', async () => {
  await push.subscribe(user, 'phone')
  await push.subscribe(user, 'laptop')
  await push.subscribe('Uother', 'other')
  await push.notify(user)
  await Promise.all([pushesAt('phone'), pushesAt('laptop')])
  await waitUntilDrained()
  expect(push.service.receivedBy('other')).toEqual([])
})

test('a push about a room message has normal urgency; without text, it states the number of files', async () => {
  await push.subscribe(user, 'files')
  push.fleet.fakes.previews.set('Efiles', { text: '', attachments: 2 })
  await push.notify(user, { eventId: 'Efiles', kind: 'room_message' })
  const [received] = await pushesAt('files')
  expect(received).toMatchObject({ urgency: 'normal', payload: { body: 'Sent 2 files', tag: 'room-message-Efiles' } })
})

test('a dismissal goes to every browser of the user, under the topic of the push that it dismisses', async () => {
  await push.subscribe(user, 'first')
  await push.notify(user, { eventId: 'Edone' })
  const [shown] = await pushesAt('first')
  await waitUntilDrained()
  await push.subscribe(user, 'second')
  await push.dismiss(user, 'mention-Edone')
  const [, dismissal] = await pushesAt('first', 2)
  expect(dismissal?.payload).toEqual({ action: 'dismiss', tag: 'mention-Edone' })
  expect(dismissal?.topic).toBe(shown?.topic)
  expect((await pushesAt('second'))[0]?.payload).toEqual({ action: 'dismiss', tag: 'mention-Edone' })
  await waitUntilDrained()
})

test('a dismissal is sent only after the push that it dismisses is finished', async () => {
  await push.subscribe(user, 'ordered')
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  push.service.answer = async ({ payload }) => {
    if (payload['notificationId'] === 'Nheld') await held
    return { status: 201 }
  }
  await push.notify(user, { eventId: 'Eheld', notificationId: 'Nheld' })
  await pushesAt('ordered')
  await push.dismiss(user, 'mention-Eheld')
  await push.subscribe('Uwitness', 'witness')
  await push.notify('Uwitness', { eventId: 'Ewitness' })
  await eventually(async () => expect(await queuedPushes(push.fleet.db)).toHaveLength(2))
  release()
  await pushesAt('ordered', 2)
  expect(push.service.receivedBy('ordered').map(({ payload }) => payload['action'])).toEqual([undefined, 'dismiss'])
  await waitUntilDrained()
})

test('no push is sent before it is known whether its recipient wants to be disturbed', async () => {
  await push.subscribe(user, 'unknown')
  await push.subscribe('Uquiet', 'quiet')
  const { fakes } = push.fleet
  fakes.presencesUnknown = true
  fakes.calls.length = 0
  await push.notify(user, { eventId: 'Eunknown' })
  await push.notify('Uquiet', { eventId: 'Eunknown' })
  await eventually(() => expect(fakes.calls.filter((call) => call === 'getPresences').length).toBeGreaterThan(1))
  expect(push.service.receivedBy('unknown')).toEqual([])
  fakes.presences.set('Uquiet', PresenceStatus.DO_NOT_DISTURB)
  fakes.presencesUnknown = false
  await pushesAt('unknown')
  await waitUntilDrained()
  expect(push.service.receivedBy('quiet')).toEqual([])
})

const changes: [string, (userId: string) => unknown][] = [
  ['the notification is dismissed', (id) => push.dismiss(id, 'mention-Egone')],
  [
    'the recipient mutes the server',
    (id) => push.fleet.as(id).preferences.updateServerNotificationPreference({ level: NotificationLevel.MUTED }),
  ],
  ['the recipient leaves the room', (id) => push.fleet.fakes.rooms.get('R1')?.members.delete(id)],
  ['the recipient sets do not disturb', (id) => push.fleet.fakes.presences.set(id, PresenceStatus.DO_NOT_DISTURB)],
  ['the recipient is deactivated', (id) => push.fleet.fakes.deactivated.add(id)],
  ['the message is retracted', () => push.fleet.fakes.previews.delete('Egone')],
]

test.each(changes)('a waiting push is not sent if %s', async (_, change) => {
  const browser = `waiting-${user}`
  await push.subscribe(user, browser)
  push.fleet.fakes.calls.length = 0
  push.fleet.fakes.allUnavailable = true
  await push.notify(user, { eventId: 'Egone' })
  await eventually(() => expect(push.fleet.fakes.calls).toContain('listRecipients'))
  await change(user)
  push.fleet.fakes.allUnavailable = false
  await waitUntilDrained()
  expect(push.service.receivedBy(browser)).toEqual([])
})

const ends: [string, (endpoint: string) => unknown][] = [
  ['the notification is dismissed', () => push.dismiss(user, 'mention-Elate')],
  ['the browser is unsubscribed', (endpoint) => push.fleet.as(user).push.unsubscribe({ endpoint })],
]

test.each(ends)('a push whose text is being loaded is not sent if %s', async (_, end) => {
  const browser = `late-${user}`
  const witness = `witness-${user}`
  const endpoint = await push.subscribe(user, browser)
  let isRequested = false
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  push.fleet.fakes.beforePreviews = () => {
    isRequested = true
    return answered
  }
  await push.notify(user, { eventId: 'Elate' })
  await eventually(() => expect(isRequested).toBe(true))
  await end(endpoint)
  push.fleet.fakes.beforePreviews = () => Promise.resolve()
  answer()
  await waitUntilDrained()
  await push.subscribe('Uwitness', witness)
  await push.notify('Uwitness', { eventId: 'Eafter' })
  await pushesAt(witness)
  expect(push.service.receivedBy(browser)).toEqual([])
})
