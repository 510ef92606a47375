import { createClient, type Interceptor } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { RoomDirectoryService } from '@parley/contracts/api'
import { metricsText } from '@parley/telemetry'
import { eventually } from '@parley/testkit'
import { useEnv, type Gateway } from './_env.ts'

const env = useEnv()
let gateway: Gateway
beforeAll(async () => {
  gateway = await env.start()
})

const getRoom = '/svc.api.v1.RoomDirectoryService/GetRoom'

/** Counts requests with exactly these labels, also of earlier tests of this process. */
async function countMeasured(method: string, route: string, status: number, error?: string): Promise<number> {
  return countIn(await metricsText(), method, route, status, error)
}

function countIn(text: string, method: string, route: string, status: number, error?: string): number {
  const failure = error === undefined ? '' : `,error_type="${error}"`
  const labels = `http_request_method="${method}",http_route="${route}",http_response_status_code="${status}"${failure}`
  const start = `http_server_request_duration_seconds_count{${labels}} `
  const line = text.split('\n').find((one) => one.startsWith(start))
  return Number(line?.slice(start.length) ?? 0)
}

const apiOptions = () => ({ baseUrl: `${gateway.url}/api/connect`, httpVersion: '1.1' }) as const
const transports = {
  'Connect, JSON': (interceptors: Interceptor[]) => createConnectTransport({ ...apiOptions(), interceptors }),
  'Connect over HTTP/2': (interceptors: Interceptor[]) =>
    createConnectTransport({ baseUrl: gateway.url, httpVersion: '2', interceptors }),
  'gRPC-Web': (interceptors: Interceptor[]) => createGrpcWebTransport({ ...apiOptions(), interceptors }),
  gRPC: (interceptors: Interceptor[]) => createGrpcTransport({ baseUrl: gateway.url, interceptors }),
}

describe.each(Object.entries(transports))('a call in %s', (protocol, transport) => {
  const call = (authorization?: string) =>
    createClient(
      RoomDirectoryService,
      transport([
        (next) => (request) => {
          if (authorization !== undefined) request.header.set('authorization', authorization)
          return next(request)
        },
      ]),
    ).getRoom({ roomId: 'R1' })

  test('is measured once, by method and outcome', async () => {
    const refusal = [protocol.startsWith('gRPC') ? 200 : 401, 'unauthenticated'] as const
    const before = [
      await countMeasured('POST', getRoom, 200),
      await countMeasured('POST', getRoom, ...refusal),
    ] as const
    await call(`Bearer ${env.accounts.credential('U-ada')}`)
    await expect(call()).rejects.toThrow()
    expect([await countMeasured('POST', getRoom, 200), await countMeasured('POST', getRoom, ...refusal)]).toEqual([
      before[0] + 1,
      before[1] + 1,
    ])
  })
})

test('a call that exceeds its client’s deadline is counted as canceled', async () => {
  const readCounts = () =>
    Promise.all(['canceled', 'deadline_exceeded'].map((error) => countMeasured('POST', getRoom, 504, error)))
  const [canceled = 0, late = 0] = await readCounts()
  const authorization = `Bearer ${env.accounts.credential('U-ada')}`
  const headers = { authorization, 'content-type': 'application/json', 'connect-timeout-ms': '0' }
  const { status } = await fetch(`${gateway.url}/api/connect${getRoom}`, { method: 'POST', headers, body: '{}' })
  expect(status).toBe(504)
  await eventually(async () => expect(await readCounts()).toEqual([canceled + 1, late]))
})

test.each([
  ['POST', '/auth/login', '/auth/login'],
  ['GET', '/auth/providers/anything', '/auth/providers/{id}'],
  ['GET', '/api/server?secret=1', '/api/server'],
  ['GET', '/assets/files/Aaaaaaaaaaaaaaa', '/assets/*'],
  ['GET', '/chat/Raaaaaaaaaaaaaa', '*'],
  ['POST', `/api/connect${getRoom}`, '/api/connect/*'],
  ['POST', '/api/connect/svc.api.v1.RoomService/Nothing', '/api/connect/*'],
])('%s %s is measured as %s', async (method, path, route) => {
  const headers = { 'content-type': 'text/plain' }
  const request = { method, headers, redirect: 'manual', ...(method === 'POST' && { body: 'x' }) } as const
  const before = await metricsText()
  const { status } = await fetch(gateway.url + path, request)
  const error = status >= 500 ? String(status) : undefined
  const expected = countIn(before, method, route, status, error) + 1
  await eventually(async () => expect(await countMeasured(method, route, status, error)).toBe(expected))
  expect(await metricsText()).not.toMatch(/aaaaaaa|secret/)
})
