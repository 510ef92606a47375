import { afterAll, expect, test } from '@jest/globals'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from '@connectrpc/connect'
import { AdminInternalService } from '@parley/contracts/internal'
import { currentTraceparent, startTelemetry, stopTelemetry, withSpan } from '@parley/telemetry'
import { startFleet } from './_fleet.ts'

// Spans are recorded only when they go somewhere.
const collector = createServer((request, response) => request.resume().once('end', () => response.end()))
collector.listen(0, '127.0.0.1')
await once(collector, 'listening')
process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
await startTelemetry(process.env)

afterAll(async () => {
  await stopTelemetry()
  collector.close()
  collector.closeAllConnections()
})

const traceOf = (traceparent: string) => traceparent.split('-')[1]

test('caller, call and handler belong to one trace', async () => {
  await using fleet = await startFleet()
  let inside = ''
  await fleet.serve({
    deployable: 'gateway',
    routes: (routes) =>
      routes.service(AdminInternalService, {
        checkLogin: () => {
          inside = currentTraceparent()
          return {}
        },
      }),
  })
  const rpc = await fleet.client()

  let outside = ''
  await withSpan('work', {}, async () => {
    outside = currentTraceparent()
    await createClient(AdminInternalService, rpc.transport()).checkLogin({})
  })
  expect(traceOf(outside)).toMatch(/^[0-9a-f]{32}$/)
  expect(traceOf(inside)).toBe(traceOf(outside))
  expect(inside).not.toBe(outside)

  const given = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  await rpc.call(AdminInternalService.method.checkLogin, new Uint8Array(), { timeoutMs: 30_000, traceparent: given })
  expect(traceOf(inside)).toBe(traceOf(given))
})
