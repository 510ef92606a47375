import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Service } from '@parley/runtime'
import { eventually } from '@parley/testkit'
import { openEnv, type Env } from './_env.ts'

let env: Env
let service: Service

beforeAll(async () => {
  env = await openEnv()
  env.rooms.set('R1', ['Ualice'])
})
afterAll(async () => env[Symbol.asyncDispose]())

test('without a media server there are no calls, and those from before end', async () => {
  const before = await env.start()
  await env.as('Ualice').joinCall({ roomId: 'R1' })
  await before[Symbol.asyncDispose]()
  service = await env.start({ PARLEY_LIVEKIT_ENABLED: 'false' }, { compareEveryMs: 50 })
  await eventually(() => expect(env.messaging.toldOf('R1').at(-1)).toBe('call_ended reconciliation'))

  const alice = env.as('Ualice')
  expect((await alice.joinCall({ roomId: 'R1' })).joined).toBe(false)
  expect((await alice.leaveCall({ roomId: 'R1' })).left).toBe(false)
  expect((await alice.listActiveCalls({})).calls).toEqual([])
  expect((await alice.batchGetActiveCalls({ roomIds: ['R1'] })).calls).toEqual([])
  expect((await alice.listCallParticipants({ roomId: 'R1' })).participants).toEqual([])
  await expect(alice.getActiveCall({ roomId: 'R1' })).rejects.toMatchObject({ code: Code.NotFound })
  await expect(alice.getCallToken({ roomId: 'R1' })).rejects.toMatchObject({ code: Code.FailedPrecondition })
  const response = await fetch(`${service.url}/webhooks/livekit?x=1`, { method: 'POST', body: '{}' })
  expect(response.status).toBe(404)
  expect(await response.json()).toEqual({ error: 'voice calls are not configured' })
})

test('the process is ready, and its ports close with it', async () => {
  const ready = `http://127.0.0.1:${service.internalPort}/readyz`
  expect((await fetch(ready)).status).toBe(200)
  await service[Symbol.asyncDispose]()
  await expect(fetch(ready)).rejects.toThrow()
  await expect(fetch(`${service.url}/`)).rejects.toThrow()
})
