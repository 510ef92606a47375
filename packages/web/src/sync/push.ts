import type { MemberClient } from '@parley/client'

/**
 * `impossible`: this browser or this server has no Web Push. `denied`: the user has blocked notifications in the
 * browser.
 */
export type PushState = 'impossible' | 'denied' | 'off' | 'on'

const workerPath = '/push-worker.js'

/** Trusted Types: the content security policy of the page accepts script URLs only from the policy `parley-worker`. */
type Policies = {
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(path: string): string }
}

function trustedWorkerUrl(): string {
  const { trustedTypes }: { trustedTypes?: Policies; location: unknown } = globalThis
  return (
    trustedTypes?.createPolicy('parley-worker', { createScriptURL: () => workerPath }).createScriptURL('') ?? workerPath
  )
}

let workerUrl: string | undefined

const canPush = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis

async function findSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration(workerPath)
  return (await registration?.pushManager.getSubscription()) ?? null
}

/** Reads whether this browser receives notifications while no page is open. */
export async function readPush(server: MemberClient): Promise<PushState> {
  if (!canPush() || (await publicKey(server)) === '') return 'impossible'
  if (Notification.permission === 'denied') return 'denied'
  return (await findSubscription()) ? 'on' : 'off'
}

async function publicKey(server: MemberClient): Promise<string> {
  const { runtime } = await server.api.server.getRuntimeConfig({})
  return runtime?.pushNotificationsEnabled ? (runtime.vapidPublicKey ?? '') : ''
}

export async function turnPushOn(server: MemberClient): Promise<PushState> {
  if ((await Notification.requestPermission()) !== 'granted') return readPush(server)
  await navigator.serviceWorker.register((workerUrl ??= trustedWorkerUrl()), { type: 'module' })
  const registration = await navigator.serviceWorker.ready
  const applicationServerKey = await publicKey(server)
  const { endpoint, keys } = (
    await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
  ).toJSON()
  const { p256dh = '', auth = '' } = keys ?? {}
  await server.api.pushNotification.subscribe({
    endpoint: endpoint ?? '',
    p256dh,
    auth,
    userAgent: navigator.userAgent,
  })
  return 'on'
}

export async function turnPushOff(server: MemberClient): Promise<PushState> {
  const current = canPush() ? await findSubscription() : null
  if (current) {
    await server.api.pushNotification.unsubscribe({ endpoint: current.endpoint })
    await current.unsubscribe()
  }
  return 'off'
}
