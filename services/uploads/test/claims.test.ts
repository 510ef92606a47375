import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { ServerImageKind } from '@parley/contracts/internal'
import type { Service } from '@parley/runtime'
import { eventually } from '@parley/testkit'
import { inbox, serverImages } from '../src/store/schema.ts'
import { openEnv, putBlob, storeAvatar, type Env } from './_env.ts'
import { plain } from './_images.ts'

let env: Env
let service: Service
let now: number

beforeEach(async () => {
  env = await openEnv()
  now = Date.now()
  service = await env.start({}, { now: () => new Date(now), sweepEveryMs: 20 })
})
afterEach(async () => env[Symbol.asyncDispose]())

const avatar = async () => storeAvatar(env, service, await plain(9, 9).png().toBuffer())
const named = (version: bigint, avatarKey: string) =>
  env.announce({ ownerId: 'Ualice', version, fact: { case: 'userChanged', value: { avatarKey } } })
const handled = (events: number) => eventually(async () => (await env.db.select().from(inbox)).length === events)
const stored = (...keys: string[]) =>
  eventually(async () => expect(await env.storedKeys()).toEqual(keys.map((key) => `server/${key}`).sort()))

test('an image named by an event stays; a replaced one is deleted', async () => {
  const [first, second] = [await avatar(), await avatar()]
  await named(1n, first)
  await handled(1)
  await named(2n, second)
  await stored(second)
  expect((await fetch(`${service.url}/assets/server/${first}`)).status).toBe(404)
  now += 10 * 3_600_000
  await named(3n, second)
  await handled(3)
  await stored(second)
  await named(4n, '')
  await stored()
  // The bytes are deleted first.
  await eventually(async () => expect(await env.db.select().from(serverImages)).toEqual([]))
})

test('a late older event changes nothing, and its image is deleted', async () => {
  const [first, second] = [await avatar(), await avatar()]
  await named(6n, second)
  await handled(1)
  await named(5n, first)
  await handled(2)
  now += 3_700_000
  await stored(second)
})

test('an image that no event names is deleted after an hour, not before', async () => {
  const [kept, forgotten] = [await avatar(), await avatar()]
  await named(1n, kept)
  await handled(1)
  now += 3_500_000
  await stored(kept, forgotten)
  now += 200_000
  await stored(kept)
})

test('an image stored in the meantime does not count as replaced', async () => {
  const [first, second, third] = [await avatar(), await avatar(), await avatar()]
  await named(1n, first)
  await named(2n, second)
  await stored(second, third)
  await named(3n, third)
  await stored(third)
})

test('logo and banner are independent', async () => {
  const store = async (kind: ServerImageKind) => {
    const blobId = await putBlob(service, await plain(9, 9).png().toBuffer())
    return (await env.internal.storeServerImage({ blobId, kind, ownerId: 'server', callerId: 'Ualice' })).key
  }
  const [logo, banner, newLogo] = [
    await store(ServerImageKind.LOGO),
    await store(ServerImageKind.BANNER),
    await store(ServerImageKind.LOGO),
  ]
  const publish = (version: bigint, logoKey: string, bannerKey: string) =>
    env.announce({ ownerId: 'server', version, fact: { case: 'serverProfileChanged', value: { logoKey, bannerKey } } })
  await publish(1n, logo, banner)
  await handled(1)
  await publish(2n, newLogo, banner)
  await stored(newLogo, banner)
  await publish(3n, newLogo, '')
  await stored(newLogo)
})

test('an image stays while its owner uses it although no event named it, and while the owner does not answer', async () => {
  const store = async (kind: ServerImageKind) => {
    const blobId = await putBlob(service, await plain(9, 9).png().toBuffer())
    return (await env.internal.storeServerImage({ blobId, kind, ownerId: 'server', callerId: 'Ualice' })).key
  }
  const [forgotten, unanswered] = [await avatar(), await avatar()]
  const [logo, oldLogo, banner] = [
    await store(ServerImageKind.LOGO),
    await store(ServerImageKind.LOGO),
    await store(ServerImageKind.BANNER),
  ]
  env.accounts.avatars.set('Ualice', unanswered)
  Object.assign(env.serverImages, { logoKey: logo, bannerKey: banner })
  env.accounts.away = true
  const requested = env.accounts.requested
  now += 10 * 3_600_000
  await eventually(() => env.accounts.requested > requested + 1)
  await stored(forgotten, unanswered, logo, oldLogo, banner)
  env.accounts.away = false
  await stored(unanswered, logo, banner)
})
