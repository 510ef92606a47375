import { execFile } from 'node:child_process'
import { createServer, request as send, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openEnv, type Env, type Gateway } from './_env.ts'

const script = join(import.meta.dirname, '../../../deploy/test-proxies.mjs')

let env: Env
const proxies: Server[] = []
beforeAll(async () => {
  env = await openEnv()
})
afterAll(async () => {
  for (const proxy of proxies) proxy.close()
  await env[Symbol.asyncDispose]()
})

/** A proxy like an ingress: it adds the client's address. */
async function proxyOf(gateway: Gateway): Promise<string> {
  const { port } = new URL(gateway.url)
  const proxy = createServer((request, response) => {
    const headers = { ...request.headers, 'x-forwarded-for': '198.51.100.7' }
    request.pipe(
      send({ host: '127.0.0.1', port, path: request.url, method: request.method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      }),
    )
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  proxies.push(proxy)
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

const tried = (publicUrl: string, { internalPort }: Gateway) =>
  promisify(execFile)(process.execPath, [script, publicUrl, `http://localhost:${internalPort}`])

test('the program of `helm test` distinguishes gateways that know their proxies', async () => {
  const knowing = await env.start({ PARLEY_WEBSERVER_TRUSTED_PROXIES: '127.0.0.1' })
  expect((await tried(await proxyOf(knowing), knowing)).stdout).toMatch(/^50 requests by .* know who made them$/m)

  const forgetful = await env.start()
  await expect(tried(await proxyOf(forgetful), forgetful)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('ingress.trustedProxies'),
  })
  await expect(tried(`${forgetful.url}/nowhere`, { ...forgetful, internalPort: 1 })).rejects.toMatchObject({ code: 1 })
  await expect(promisify(execFile)(process.execPath, [script])).rejects.toMatchObject({ code: 2 })
})
