import { Code, createClient } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AssetService } from '@parley/contracts/api'
import type { Service } from '@parley/runtime'
import { callAs } from '@parley/testkit'
import { openEnv, type Env } from './_env.ts'

let env: Env
let service: Service

beforeAll(async () => {
  env = await openEnv()
  service = await env.start()
})
afterAll(async () => env[Symbol.asyncDispose]())

test('what is owned but not built is unimplemented, after the question who calls', async () => {
  const call = (transport: ReturnType<typeof env.rpc.transport>) =>
    createClient(AssetService, transport).getAsset({ roomId: 'R1', assetId: 'A1' })
  await expect(call(env.rpc.transport())).rejects.toMatchObject({ code: Code.Unauthenticated })
  await expect(call(callAs(env.rpc, { userId: 'Ualice' }))).rejects.toMatchObject({ code: Code.Unimplemented })
})

test('the process is ready, and its ports close with it', async () => {
  const ready = `http://127.0.0.1:${service.internalPort}/readyz`
  expect((await fetch(ready)).status).toBe(200)
  await service[Symbol.asyncDispose]()
  await expect(fetch(ready)).rejects.toThrow()
  await expect(fetch(`${service.url}/`)).rejects.toThrow()
})
