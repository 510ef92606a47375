import { fileURLToPath } from 'node:url'
import { Code, createClient } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AssetService } from '@parley/contracts/api'
import { Resources, type Service } from '@parley/runtime'
import { callAs, testBus, testDatabase, testNats } from '@parley/testkit'
import { readConfig } from '../src/config.ts'
import { startUploads } from '../src/service.ts'

const opened = new Resources()
let rpc: Awaited<ReturnType<typeof testBus>>['rpc']
let service: Service

beforeAll(async () => {
  const database = opened.use(await testDatabase(fileURLToPath(new URL('../drizzle', import.meta.url))))
  const nats = opened.use(await testNats())
  rpc = opened.use(await testBus(nats.url)).rpc
  const env = {
    PARLEY_UPLOADS_DATABASE_URL: database.url,
    PARLEY_UPLOADS_HTTP_HOST: '127.0.0.1',
    PARLEY_UPLOADS_HTTP_PORT: '0',
    PARLEY_NATS_URL: nats.url,
  }
  service = opened.use(await startUploads(readConfig({ env })))
})

afterAll(() => opened[Symbol.asyncDispose]())

const ask = async (path: string, init?: RequestInit) => {
  const response = await fetch(`${service.url}${path}`, init)
  return { status: response.status, body: await response.json() }
}

test('what is owned but not built is unimplemented, after the question who calls', async () => {
  const call = (transport: ReturnType<typeof rpc.transport>) =>
    createClient(AssetService, transport).getAsset({ roomId: 'R1', assetId: 'A1' })
  await expect(call(rpc.transport())).rejects.toMatchObject({ code: Code.Unauthenticated })
  await expect(call(callAs(rpc, { userId: 'Ualice' }))).rejects.toMatchObject({ code: Code.Unimplemented })
})

test('there are no assets yet', async () => {
  expect(await ask('/assets/files/A1?access=ticket')).toEqual({ status: 404, body: { error: 'no such asset' } })
  expect(await ask('/')).toEqual({ status: 404, body: { error: 'not found' } })
})

test('the process is ready, and its ports close with it', async () => {
  const ready = `http://127.0.0.1:${service.internalPort}/readyz`
  expect((await fetch(ready)).status).toBe(200)
  await service[Symbol.asyncDispose]()
  await expect(fetch(ready)).rejects.toThrow()
  await expect(ask('/')).rejects.toThrow()
})
