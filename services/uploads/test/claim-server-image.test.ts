import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { ServerImageKind } from '@parley/contracts/internal'
import type { Service } from '@parley/runtime'
import { eventually } from '@parley/testkit'
import { inbox, serverImages } from '../src/store/schema.ts'
import { openEnv, putBlob, storeAvatar, type Env } from './_env.ts'
import { plainImage } from './_images.ts'

let env: Env
let service: Service
let now: number

beforeEach(async () => {
  env = await openEnv()
  now = Date.now()
  service = await env.start({}, { now: () => new Date(now), sweepEveryMs: 20 })
})
afterEach(async () => env[Symbol.asyncDispose]())

const newAvatar = async () => storeAvatar(env, service, await plainImage(9, 9).png().toBuffer())
const publishAvatar = (version: bigint, avatarKey: string) =>
  env.announce({ ownerId: 'Ualice', version, fact: { case: 'userChanged', value: { avatarKey } } })
const waitForHandled = (events: number) => eventually(async () => (await env.db.select().from(inbox)).length === events)
const expectStored = (...keys: string[]) =>
  eventually(async () => expect(await env.storedKeys()).toEqual(keys.map((key) => `server/${key}`).sort()))

test('an image to which an event refers stays; a replaced one is deleted', async () => {
  const [first, second] = [await newAvatar(), await newAvatar()]
  await publishAvatar(1n, first)
  await waitForHandled(1)
  await publishAvatar(2n, second)
  await expectStored(second)
  expect((await fetch(`${service.url}/assets/server/${first}`)).status).toBe(404)
  now += 10 * 3_600_000
  await publishAvatar(3n, second)
  await waitForHandled(3)
  await expectStored(second)
  await publishAvatar(4n, '')
  await expectStored()
  await eventually(async () => expect(await env.db.select().from(serverImages)).toEqual([]))
})

test('an older event that arrives late changes nothing, and its image is deleted', async () => {
  const [first, second] = [await newAvatar(), await newAvatar()]
  await publishAvatar(6n, second)
  await waitForHandled(1)
  await publishAvatar(5n, first)
  await waitForHandled(2)
  now += 3_700_000
  await expectStored(second)
})

test('an image to which no event refers is deleted after an hour', async () => {
  const [kept, unused] = [await newAvatar(), await newAvatar()]
  await publishAvatar(1n, kept)
  await waitForHandled(1)
  now += 3_500_000
  await expectStored(kept, unused)
  now += 200_000
  await expectStored(kept)
})

test('an event does not delete a newer image to which no event refers yet', async () => {
  const [first, second, third] = [await newAvatar(), await newAvatar(), await newAvatar()]
  await publishAvatar(1n, first)
  await publishAvatar(2n, second)
  await expectStored(second, third)
  await publishAvatar(3n, third)
  await expectStored(third)
})

test('logo and banner are independent', async () => {
  const store = async (kind: ServerImageKind) => {
    const blobId = await putBlob(service, await plainImage(9, 9).png().toBuffer())
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
  await waitForHandled(1)
  await publish(2n, newLogo, banner)
  await expectStored(newLogo, banner)
  await publish(3n, newLogo, '')
  await expectStored(newLogo)
})

test('an unclaimed image stays while accounts is unavailable, and if accounts or admin reports that it is used', async () => {
  const store = async (kind: ServerImageKind) => {
    const blobId = await putBlob(service, await plainImage(9, 9).png().toBuffer())
    return (await env.internal.storeServerImage({ blobId, kind, ownerId: 'server', callerId: 'Ualice' })).key
  }
  const [unused, used] = [await newAvatar(), await newAvatar()]
  const [logo, oldLogo, banner] = [
    await store(ServerImageKind.LOGO),
    await store(ServerImageKind.LOGO),
    await store(ServerImageKind.BANNER),
  ]
  env.accounts.avatars.set('Ualice', used)
  Object.assign(env.serverImages, { logoKey: logo, bannerKey: banner })
  env.accounts.unavailable = true
  const callsBefore = env.accounts.calls
  now += 10 * 3_600_000
  await eventually(() => env.accounts.calls > callsBefore + 1)
  await expectStored(unused, used, logo, oldLogo, banner)
  env.accounts.unavailable = false
  await expectStored(used, logo, banner)
})
