import { beforeAll, expect, test } from '@jest/globals'
import { countUnestablished } from '@parley/testkit'
import { useEnv, type Gateway } from './_env.ts'

const env = useEnv()
let gateway: Gateway
beforeAll(async () => {
  gateway = await env.start()
})

const onLinux = process.platform === 'linux' ? test : test.skip

onLinux('the kernel completes a whole burst of connections before the gateway accepts the first', async () => {
  expect(await countUnestablished(Number(new URL(gateway.url).port), 1_500)).toBe(0)
})
