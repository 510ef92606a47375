import { create, toBinary } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { CheckLoginRequestSchema, AdminInternalService } from '@parley/contracts/internal'
import { blobOf } from '../src/index.ts'
import { startFleet, stoppedClock } from './_fleet.ts'

test('a handler receives the blob id of a call, or undefined without one', async () => {
  await using fleet = await startFleet()
  const seen: (string | undefined)[] = []
  await fleet.serve({
    ...stoppedClock,
    deployable: 'gateway',
    routes: (routes) =>
      routes.service(AdminInternalService, {
        checkLogin: (_request, call) => {
          seen.push(blobOf(call))
          return {}
        },
      }),
  })
  const rpc = await fleet.client(stoppedClock)
  const body = toBinary(CheckLoginRequestSchema, create(CheckLoginRequestSchema, { login: 'alice' }))
  await rpc.call(AdminInternalService.method.checkLogin, body, { timeoutMs: 30_000, blob: 'B1' })
  await createClient(AdminInternalService, rpc.transport()).checkLogin({ login: 'alice' })
  expect(seen).toEqual(['B1', undefined])
})
