import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Service } from '@parley/runtime'
import { eventually, requestErasure } from '@parley/testkit'
import { blobs, serverImageClaims, serverImages } from '../src/store/schema.ts'
import { openEnv, putBlob, storeAvatar, type Env } from './_env.ts'
import { plainImage } from './_images.ts'

let env: Env
let service: Service

beforeAll(async () => {
  env = await openEnv()
  service = await env.start()
})
afterAll(async () => env[Symbol.asyncDispose]())

test('images and blobs of a deleted person are deleted with their rows, and new images are refused', async () => {
  const bytes = await plainImage(9, 9).png().toBuffer()
  const avatarKey = await storeAvatar(env, service, bytes)
  await env.announce({ ownerId: 'Ualice', version: 1n, fact: { case: 'userChanged', value: { avatarKey } } })
  await eventually(async () => expect(await env.db.select().from(serverImageClaims)).toHaveLength(1))
  await storeAvatar(env, service, bytes)
  await putBlob(service, bytes)

  await requestErasure(env.bus, 'Ualice', 1)
  await eventually(() => expect(env.erasures.found('Ualice', 1)).toBe(4n))
  expect(await env.storedKeys()).toEqual([])
  for (const table of [serverImages, serverImageClaims, blobs]) expect(await env.db.select().from(table)).toEqual([])
  expect((await fetch(`${service.url}/assets/server/${avatarKey}`)).status).toBe(404)

  const late = await storeAvatar(env, service, bytes).catch((error: unknown) => ConnectError.from(error).code)
  expect(late).toBe(Code.NotFound)
  await requestErasure(env.bus, 'Ualice', 2)
  await eventually(() => expect(env.erasures.found('Ualice', 2)).toBeDefined())
  expect(await env.storedKeys()).toEqual([])
})
