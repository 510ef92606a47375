import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { countUnestablished } from '@parley/testkit'
import { openEnv, type Env, type Gateway } from './_env.ts'

let env: Env
let gateway: Gateway
beforeAll(async () => {
  env = await openEnv()
  gateway = await env.start()
})
afterAll(async () => env[Symbol.asyncDispose]())

const onLinux = process.platform === 'linux' ? test : test.skip

onLinux('the kernel completes a whole burst of connections before the gateway accepts the first', async () => {
  expect(await countUnestablished(Number(new URL(gateway.url).port), 1_500)).toBe(0)
})
