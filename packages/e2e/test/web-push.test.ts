import { createECDH, randomBytes } from 'node:crypto'
import { expect } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { fleet } from '../src/fleet.ts'
import { newPerson, theOwner } from '../src/people.ts'
import { newRoom } from '../src/rooms.ts'
import { inBrowser, useBrowser, signInAt, visit } from '../src/web-client.ts'

useBrowser('pushes')

inBrowser('a browser is subscribed, shows what is pushed to it, and takes it away', async () => {
  const [owner, ada] = await Promise.all([theOwner(), newPerson('ada')])
  const roomId = await newRoom(owner, [ada])
  await using visitor = await visit('/', { permissions: ['notifications'] })
  const { page } = visitor
  // The push service of a browser is somebody else's and far away: what it would answer is said here.
  const keys = createECDH('prime256v1')
  const subscription = {
    endpoint: `https://push.example.org/${randomBytes(8).toString('hex')}`,
    keys: { p256dh: keys.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') },
  }
  const content = `
    let held = null
    const given = ${JSON.stringify(subscription)}
    const made = { endpoint: given.endpoint, toJSON: () => given, unsubscribe: async () => ((held = null), true) }
    Object.assign(PushManager.prototype, { subscribe: async () => (held = made), getSubscription: async () => held })`
  await page.addInitScript({ content })
  await page.reload()
  await signInAt(page, ada)
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Notifications', exact: true }).click()
  const choice = page.getByRole('checkbox', { name: /^Show notifications on this device/ })
  await choice.check()

  const session = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) =>
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [registration] = registrations
      if (registration) resolve(registration.registrationId)
    }),
  )
  await session.send('ServiceWorker.enable')
  const registrationId = await registered
  const origin = new URL(fleet().gateways[0]).origin
  const push = (payload: object) =>
    session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: JSON.stringify(payload) })
  // A browser without a desktop has no place for notifications: what it is asked to show is kept instead.
  const [worker] = page.context().serviceWorkers()
  await worker?.evaluate(`
    self.kept = []
    registration.showNotification = async (title, { body, tag }) => void kept.push({ title, body, tag })
    registration.getNotifications = async ({ tag }) => kept.filter((one) => one.tag === tag)
      .map((one) => ({ close: () => kept.splice(kept.indexOf(one), 1) }))`)
  const shown = () => worker?.evaluate<unknown>('kept')
  const url = `${origin}/chat/-/${roomId}`
  await push({ web_push: 8030, title: 'The owner wrote', body: 'Are you there?', tag: 'dm-E1', url })
  await eventually(async () =>
    expect(await shown()).toEqual([{ title: 'The owner wrote', body: 'Are you there?', tag: 'dm-E1' }]),
  )
  expect(await choice.isChecked()).toBe(true)
  await push({ action: 'dismiss', tag: 'dm-E1' })
  await eventually(async () => expect(await shown()).toEqual([]))
  await choice.uncheck()
  expect(await choice.isChecked()).toBe(false)
  expect(visitor.complaints).toEqual([])
})
