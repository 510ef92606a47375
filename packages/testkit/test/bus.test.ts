import { expect, test } from '@jest/globals'
import { createClient } from '@connectrpc/connect'
import { ServerService } from '@parley/contracts/api'
import { AdminInternalService } from '@parley/contracts/internal'
import { callerOf, serveRpc } from '@parley/rpc'
import { callAs, eventually, serveFakes, recordEvents, standardPolicy, testBus, testNats } from '@parley/testkit'
import { encodeEvent } from './_event.ts'

test('serveFakes answers the registered methods', async () => {
  await using nats = await testNats()
  await using here = await testBus(nats.url)
  await using _admin = await serveFakes(here.bus, (routes) => {
    routes.service(AdminInternalService, { getPolicy: () => standardPolicy() })
  })
  const { roles } = await createClient(AdminInternalService, here.rpc.transport()).getPolicy({})
  expect(roles.map(({ id }) => id)).toContain('owner')
})

test('a call is made on behalf of the user', async () => {
  await using nats = await testNats()
  await using here = await testBus(nats.url)
  let received: unknown
  await using _admin = await serveRpc(here.bus, {
    deployable: 'admin',
    routes: (routes) => {
      routes.service(ServerService, {
        getMotd(_, context) {
          const { userId, roleIds, freshUntil } = callerOf(context)
          received = { userId, roleIds, fresh: freshUntil !== undefined }
          return {}
        },
      })
    },
  })
  await createClient(ServerService, callAs(here.rpc, { userId: 'U1', roleIds: ['admin'], fresh: true })).getMotd({})
  expect(received).toEqual({ userId: 'U1', roleIds: ['admin'], fresh: true })
})

test('a recording has each event of its subject once, even if the event is published twice', async () => {
  await using nats = await testNats()
  await using here = await testBus(nats.url)
  await using recording = await recordEvents(here.bus, 'evt.room.>')
  const stream = here.bus.nc.jetstream()
  await stream.publish('evt.user.U1.user_created', encodeEvent('E1'))
  // A relay may publish an event again after a failure.
  for (const id of ['E2', 'E2', 'E3']) await stream.publish('evt.room.R1.message_posted', encodeEvent(id))
  await eventually(() => recording.events.some(({ id }) => id === 'E3'))
  expect(recording.events.map(({ id }) => id)).toEqual(['E2', 'E3'])
})
