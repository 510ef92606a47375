import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, requestErasure } from '@parley/testkit'
import { assets, failedDeletions, previewUses, serverImages } from '../src/store/schema.ts'
import { openEnv, type Env } from './_env.ts'
import type { TestS3 } from './_s3.ts'

let env: Env
let fault: TestS3['fault'] = () => undefined
beforeAll(async () => {
  env = await openEnv('s3')
  if (env.s3) env.s3.fault = (request) => fault(request)
})
afterAll(async () => env[Symbol.asyncDispose]())

const ids = (name: string, count: number) => Array.from({ length: count }, (_, n) => `A${name}${n}`)
const asset = (id: string, ownerId: string, doomed: boolean) => ({
  ...{ id, ownerId, doomed, roomId: 'Rtea', filename: 'x', contentType: 'text/plain', size: 5, sha256: '' },
  ...{ width: 0, height: 0, createdAt: new Date() },
})
const image = (key: string, ownerId: string, doomed: boolean) => ({
  ...{ key, ownerId, doomed, kind: 'avatar' as const, size: 5, width: 1, height: 1, digest: '', createdAt: new Date() },
})
const remaining = async () => [
  ...(await env.db.select({ id: assets.id }).from(assets)).map(({ id }) => id),
  ...(await env.db.select({ id: serverImages.key }).from(serverImages)).map(({ id }) => id),
]

test('a failed deletion does not delay others, and succeeds later when the storage works again', async () => {
  const stuck = ['Astuck', 'Aimage0']
  fault = ({ method, url }) => (method === 'DELETE' && stuck.some((id) => url?.includes(id)) ? 'refuse' : undefined)
  await env.db.insert(assets).values(asset('Astuck', 'Ualice', true))
  await env.db.insert(assets).values(ids('gone', 130).map((id) => asset(id, 'Ualice', true)))
  await env.db.insert(serverImages).values(ids('image', 110).map((key) => image(key, 'Ualice', true)))
  await env.start({}, { sweepEveryMs: 50 })
  await eventually(async () => expect((await remaining()).sort()).toEqual(stuck.toSorted()), { timeoutMs: 90_000 })
  await eventually(async () =>
    expect((await env.db.select().from(failedDeletions)).map(({ id }) => id).sort()).toEqual(stuck.toSorted()),
  )
  fault = () => undefined
  await env.db.update(failedDeletions).set({ retryAt: new Date(0) })
  await eventually(async () => expect(await remaining()).toEqual([]))
  await eventually(async () => expect(await env.db.select().from(failedDeletions)).toEqual([]))
})

test('a large account is erased, except for a file that cannot be deleted yet', async () => {
  const count = 2_100
  fault = ({ method, url }) => (method === 'DELETE' && url?.includes('Aheavy7') ? 'refuse' : undefined)
  await env.db.insert(assets).values(ids('heavy', 8).map((id) => asset(id, 'Ubob', false)))
  await env.db.insert(previewUses).values(
    ids('use', count).map((imageKey) => ({
      ...{ imageKey, messageEventId: 'E1', authorId: 'Ubob', ended: false, changedAt: new Date() },
    })),
  )
  await requestErasure(env.bus, 'Ubob', 1)
  await eventually(() => expect(env.erasures.found('Ubob', 1)).toBe(BigInt(count + 8)))
  expect(await env.db.select().from(previewUses)).toEqual([])
  expect(await remaining()).toEqual(['Aheavy7'])
  fault = () => undefined
  await env.db.update(failedDeletions).set({ retryAt: new Date(0) })
  await requestErasure(env.bus, 'Ubob', 2)
  await eventually(async () => expect(await remaining()).toEqual([]))
})
