import { execFile } from 'node:child_process'
import { createServer, request as send, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from '@jest/globals'
import { useEnv, type Gateway } from './_env.ts'

const script = join(import.meta.dirname, '../../../deploy/test-proxies.mjs')

const env = useEnv()
const proxies: Server[] = []
afterAll(() => proxies.forEach((proxy) => proxy.close()))

/** Adds the client's address, like an ingress. */
async function startProxy(gateway: Gateway): Promise<string> {
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

const runScript = (publicUrl: string, { internalPort }: Gateway) =>
  promisify(execFile)(process.execPath, [script, publicUrl, `http://localhost:${internalPort}`])

test('the script of `helm test` passes only if proxies are trusted', async () => {
  const trusting = await env.start({ PARLEY_WEBSERVER_TRUSTED_PROXIES: '127.0.0.1' })
  expect((await runScript(await startProxy(trusting), trusting)).stdout).toMatch(
    /^50 requests through .*: the gateways trust every proxy in front of them$/m,
  )

  const distrusting = await env.start()
  await expect(runScript(await startProxy(distrusting), distrusting)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('ingress.trustedProxies'),
  })
  await expect(runScript(`${distrusting.url}/nowhere`, { ...distrusting, internalPort: 1 })).rejects.toMatchObject({
    code: 1,
  })
  await expect(promisify(execFile)(process.execPath, [script])).rejects.toMatchObject({ code: 2 })
})
