import { fileURLToPath } from 'node:url'
import { Code, createClient } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { VoiceCallService } from '@parley/contracts/api'
import { Resources, type Service } from '@parley/runtime'
import { callAs, testBus, testDatabase, testNats } from '@parley/testkit'
import { readConfig } from '../src/config.ts'
import { startCalls } from '../src/service.ts'

const opened = new Resources()
let rpc: Awaited<ReturnType<typeof testBus>>['rpc']
let service: Service

beforeAll(async () => {
  const database = opened.use(await testDatabase(fileURLToPath(new URL('../drizzle', import.meta.url))))
  const nats = opened.use(await testNats())
  rpc = opened.use(await testBus(nats.url)).rpc
  const env = {
    PARLEY_CALLS_DATABASE_URL: database.url,
    PARLEY_CALLS_HTTP_HOST: '127.0.0.1',
    PARLEY_CALLS_HTTP_PORT: '0',
    PARLEY_NATS_URL: nats.url,
  }
  service = opened.use(await startCalls(readConfig({ env })))
})

afterAll(() => opened[Symbol.asyncDispose]())

const ask = async (path: string, init?: RequestInit) => {
  const response = await fetch(`${service.url}${path}`, init)
  return { status: response.status, body: await response.json() }
}

test('what is owned but not built is unimplemented, after the question who calls', async () => {
  const call = (transport: ReturnType<typeof rpc.transport>) =>
    createClient(VoiceCallService, transport).listActiveCalls({})
  await expect(call(rpc.transport())).rejects.toMatchObject({ code: Code.Unauthenticated })
  await expect(call(callAs(rpc, { userId: 'Ualice' }))).rejects.toMatchObject({ code: Code.Unimplemented })
})

test('the media server is told that calls are not configured', async () => {
  const refused = { status: 404, body: { error: 'voice calls are not configured' } }
  expect(await ask('/webhooks/livekit?x=1', { method: 'POST', body: '{}' })).toEqual(refused)
  expect(await ask('/webhooks/other')).toEqual({ status: 404, body: { error: 'not found' } })
})

test('the process is ready, and its ports close with it', async () => {
  const ready = `http://127.0.0.1:${service.internalPort}/readyz`
  expect((await fetch(ready)).status).toBe(200)
  await service[Symbol.asyncDispose]()
  await expect(fetch(ready)).rejects.toThrow()
  await expect(ask('/')).rejects.toThrow()
})
