import { create, toBinary, type DescMethodUnary } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { headers, type Msg } from 'nats'
import { AccountsInternalService, AdminInternalService, CheckLoginResponseSchema } from '@parley/contracts/internal'
import { eventually } from '@parley/tooling/eventually'
import { createRpcClient, rpcSubject, type Bus } from '../src/index.ts'
import { startFleet, useFleet } from './_fleet.ts'

const fleet = useFleet()

const { checkLogin } = AdminInternalService.method
const { countUsers } = AccountsInternalService.method

/** Subscribes to calls of a method; the test answers them. */
function receive(bus: Bus, method: DescMethodUnary): Msg[] {
  const received: Msg[] = []
  bus.nc.subscribe(rpcSubject(method), { callback: (_error, msg) => void received.push(msg) })
  return received
}

const answer = (blocked: boolean) => toBinary(CheckLoginResponseSchema, create(CheckLoginResponseSchema, { blocked }))

test('a deployable cannot reply to calls to another deployable', async () => {
  await using ownFleet = await startFleet()
  const services = await ownFleet.bus()
  const [logins, users] = [receive(services, checkLogin), receive(services, countUsers)]
  await services.nc.flush()
  await using rpc = createRpcClient(await ownFleet.bus({ name: 'gateway' }), {
    name: 'gateway',
    defaultTimeoutMs: 60_000,
  })
  const transport = rpc.transport()
  const requested = createClient(AdminInternalService, transport).checkLogin({})
  const other = createClient(AccountsInternalService, transport).countUsers({})
  await eventually(() => logins.length > 0 && users.length > 0)
  const inboxOf = (msg: Msg | undefined) => (msg?.reply ?? '').split('.')
  const [admins, accounts] = [inboxOf(logins[0]), inboxOf(users[0])]
  expect(admins.slice(0, 3)).toEqual(['_INBOX', 'gateway', 'admin'])
  expect(accounts.slice(0, 3)).toEqual(['_INBOX', 'gateway', 'accounts'])
  expect(accounts[3]).not.toBe(admins[3])
  // Accounts knows its own inbox, may publish there, and can guess the number of the call.
  services.nc.publish([...accounts.slice(0, 4), admins[4]].join('.'), answer(true))
  logins[0]?.respond(answer(false))
  expect((await requested).blocked).toBe(false)
  users[0]?.respond(new Uint8Array())
  await other
})

test('a call whose reply subject is not an inbox is neither run nor answered', async () => {
  let done = 0
  await fleet.serve({
    deployable: 'gateway',
    routes: (routes) =>
      void routes.service(AdminInternalService, {
        checkLogin: () => {
          done++
          return { blocked: true }
        },
      }),
  })
  const bus = await fleet.bus()
  const received: string[] = []
  for (const subject of ['hint.>', 'rpc.svc_api_v1_RoomService.CreateRoom', '_INBOX.test.>'])
    bus.nc.subscribe(subject, { callback: (_error, msg) => void received.push(msg.subject) })
  const control = headers()
  control.set('P', 'somebody 0 30000 30000 1')
  for (const reply of ['hint.presence.U1', 'rpc.svc_api_v1_RoomService.CreateRoom', undefined, '_INBOX.test.admin.x.1'])
    bus.nc.publish(rpcSubject(checkLogin), new Uint8Array(), { headers: control, ...(reply && { reply }) })
  await eventually(() => received.length > 0)
  expect(received).toEqual(['_INBOX.test.admin.x.1'])
  expect(done).toBe(1)
})
