import { expect } from '@jest/globals'
import { eventually, PushService } from '@parley/testkit'
import type { CDPSession } from 'playwright-core'
import { fleet } from '../src/fleet.ts'
import { newPerson, signInOwner } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, messageWith, useBrowser, visitAs } from '../src/web-client.ts'

useBrowser('pushes')

async function prepareDelivery(session: CDPSession): Promise<(payload: unknown) => Promise<unknown>> {
  const registered = new Promise<string>((resolve) =>
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [registration] = registrations
      if (registration) resolve(registration.registrationId)
    }),
  )
  await session.send('ServiceWorker.enable')
  const registrationId = await registered
  const { origin } = new URL(fleet().gateways[0])
  return (payload) =>
    session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: JSON.stringify(payload) })
}

/** Records notifications, because a headless browser cannot show them. `press` simulates a click on a notification. */
const recordingScript = `
  self.kept = []
  registration.showNotification = async (title, { body, tag, data }) =>
    void kept.push({ title, body, tag, data, close() { kept.splice(kept.indexOf(this), 1) } })
  registration.getNotifications = async ({ tag }) => kept.filter((one) => one.tag === tag)
  self.opened = []
  clients.openWindow = async (url) => void opened.push(url)
  self.press = (notification) => {
    const event = new Event('notificationclick')
    dispatchEvent(Object.assign(event, { notification, waitUntil: (work) => work.catch(() => undefined) }))
  }`

inBrowser(
  'a subscribed browser shows a push, opens its message on a click, and removes dismissed notifications',
  async () => {
    const [owner, ada] = await Promise.all([signInOwner(), newPerson('ada')])
    const [roomId, elsewhere] = await Promise.all([newRoom(owner, [ada]), newRoom(owner, [ada])])
    await using pushService = await PushService.start()
    await using visitor = await visitAs(ada, `/chat/-/${elsewhere}`, { permissions: ['notifications'] })
    const { page } = visitor
    // The browser's own push service is remote. The local fake decrypts each push and passes it to the browser.
    const { endpoint, p256dh, auth } = pushService.subscribe('ada')
    const content = `
    let held = null
    const given = ${JSON.stringify({ endpoint, keys: { p256dh, auth } })}
    const made = { endpoint: given.endpoint, toJSON: () => given, unsubscribe: async () => ((held = null), true) }
    Object.assign(PushManager.prototype, { subscribe: async () => (held = made), getSubscription: async () => held })`
    await page.addInitScript({ content })
    await page.reload()
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Notifications', exact: true }).click()
    const choice = page.getByRole('checkbox', { name: /^Show notifications on this device/ })
    const [subscribed] = await Promise.all([page.waitForResponse(/\/Subscribe$/), choice.check()])
    expect(subscribed.status()).toBe(200)

    const deliver = await prepareDelivery(await page.context().newCDPSession(page))
    const worker = page.context().serviceWorkers()[0] ?? (await page.context().waitForEvent('serviceworker'))
    await worker.evaluate(recordingScript)
    const shown = () => worker.evaluate<unknown[]>('kept.map(({ title, body, tag }) => ({ title, body, tag }))')
    const payloads = () => pushService.receivedBy('ada').map(({ payload }) => payload)
    // The service `notifications` may send a push twice, and after other suites it may have a backlog.
    const pushed = (action: 'show' | 'dismiss') =>
      eventually(() => payloads().find((payload) => (payload.action ?? 'show') === action) ?? false, {
        timeoutMs: 90_000,
      })
    const body = `Are you there, @${ada.login}?`
    const messageId = await post(owner, roomId, body)
    const push = await pushed('show')
    await deliver(push)
    const tag: unknown = expect.stringContaining(messageId)
    await eventually(async () => expect(await shown()).toEqual([expect.objectContaining({ body, tag })]))
    expect(await choice.isChecked()).toBe(true)

    await page.keyboard.press('Escape')
    // The window used last shows no chat.
    const other = await page.context().newPage()
    await other.goto(`${fleet().gateways[0]}/register`)
    await other.getByRole('heading', { name: 'Create an account' }).waitFor()
    await worker.evaluate('press(kept[0])')
    await messageWith(page, 'Are you there').waitFor()
    expect(new URL(page.url()).pathname).toBe(`/chat/-/${roomId}`)
    expect(await shown()).toEqual([])
    expect(await worker.evaluate('opened')).toEqual([])
    await other.close()
    await page.bringToFront()
    // The message was read, so the server dismisses the notification everywhere.
    const dismissal = await pushed('dismiss')
    await deliver(push)
    await eventually(async () => expect(await shown()).toHaveLength(1))
    await deliver(dismissal)
    await eventually(async () => expect(await shown()).toEqual([]))
    await deliver(push)
    await eventually(async () => expect(await shown()).toHaveLength(1))
    await page.goto(`${fleet().gateways[0]}/register`)
    await page.getByRole('heading', { name: 'Create an account' }).waitFor()
    await worker.evaluate('press(kept[0])')
    const address = expect.stringContaining(`/chat/-/${roomId}`)
    await eventually(async () => expect(await worker.evaluate('opened')).toEqual([address]))
    await page.goto(`${fleet().gateways[0]}/chat/-/${roomId}`)

    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Notifications', exact: true }).click()
    await choice.uncheck()
    expect(await choice.isChecked()).toBe(false)
    expect(visitor.pageErrors).toEqual([])
  },
)
