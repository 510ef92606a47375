import { findChatWindow } from './chat-window.ts'
import { parsePushPayload, type PushPayload } from '../store/push-payload.ts'

/** The parts of the service worker API used here. TypeScript cannot load its DOM and worker libraries together. */
type ExtendableEvent = { waitUntil(work: Promise<unknown>): void }
type PushEvent = ExtendableEvent & { data: { json(): unknown } | null }
type ClickEvent = ExtendableEvent & { notification: Notification }
type Scope = {
  registration: ServiceWorkerRegistration
  clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<readonly PageClient[]>
    openWindow(url: string): Promise<unknown>
  }
  skipWaiting(): Promise<void>
  addEventListener(kind: 'install', listener: (event: ExtendableEvent) => void): void
  addEventListener(kind: 'push', listener: (event: PushEvent) => void): void
  addEventListener(kind: 'notificationclick', listener: (event: ClickEvent) => void): void
}
type PageClient = { focus(): Promise<unknown>; postMessage(message: unknown, transfer?: Transferable[]): void }

const scope = globalThis as unknown as Scope
const { origin } = globalThis.location
/** Browsers allow a worker to open or focus a window only soon after a click. */
const maxAnswerMs = 500

async function show(pushed: PushPayload & { action: 'show' }): Promise<void> {
  const { title, body, tag, icon, url, badge } = pushed
  if (badge !== undefined) void navigator.setAppBadge?.(badge)
  await scope.registration.showNotification(title, { body, tag, data: { url }, ...(icon !== '' && { icon }) })
}

async function dismiss(tag: string): Promise<void> {
  for (const notification of await scope.registration.getNotifications({ tag })) notification.close()
}

async function open(url: string): Promise<void> {
  const pages = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const page = await findChatWindow(pages, maxAnswerMs)
  if (!page) return void (await scope.clients.openWindow(url))
  page.postMessage({ goTo: url })
  await page.focus()
}

scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()))

scope.addEventListener('push', (event) => {
  const pushed = parsePushPayload(event.data?.json(), origin)
  if (pushed) event.waitUntil(pushed.action === 'show' ? show(pushed) : dismiss(pushed.tag))
})

scope.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const { url } = event.notification.data as { url: string }
  event.waitUntil(open(url))
})
