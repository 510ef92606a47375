import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Service } from '@parley/runtime'
import { openEnv, type Env } from './_env.ts'

let env: Env
let service: Service

beforeAll(async () => {
  env = await openEnv()
  service = await env.start()
})
afterAll(async () => env[Symbol.asyncDispose]())

test('the process becomes ready, and closes its ports when it stops', async () => {
  const ready = `http://127.0.0.1:${service.internalPort}/readyz`
  expect((await fetch(ready)).status).toBe(200)
  await service[Symbol.asyncDispose]()
  await expect(fetch(ready)).rejects.toThrow()
  await expect(fetch(`${service.url}/`)).rejects.toThrow()
})
