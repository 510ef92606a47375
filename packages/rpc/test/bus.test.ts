import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from '@jest/globals'
import { Code, createClient } from '@connectrpc/connect'
import { AdminInternalService } from '@parley/contracts/internal'
import { RoomService } from '@parley/contracts/api'
import { DebugEvents, type NatsConnection } from 'nats'
import { eventually } from '@parley/tooling/eventually'
import { connectBus, createRpcClient, rpcSubject, serveRpc } from '../src/index.ts'
import { errorOf, gate, startFleet } from './_fleet.ts'

const serverWith = (work: () => Promise<void> | void) => ({
  deployable: 'gateway' as const,
  routes: (routes: Parameters<Parameters<typeof serveRpc>[1]['routes']>[0]) =>
    void routes.service(AdminInternalService, {
      checkLogin: async () => {
        await work()
        return { blocked: true }
      },
    }),
})

test('subjects contain the service of a method', () => {
  expect(rpcSubject(RoomService.method.createRoom)).toBe('rpc.svc_api_v1_RoomService.CreateRoom')
  expect(rpcSubject(AdminInternalService.method.getPolicy)).toBe(
    'rpc.internal.svc_internal_v1_AdminInternalService.GetPolicy',
  )
})

test('a stop ends a start that waits for the bus', async () => {
  await using fleet = await startFleet()
  const bus = await fleet.bus()
  await fleet.nats.stop()
  await eventually(() => !bus.connected())
  const stop = new AbortController()
  const starting = serveRpc(bus, { ...serverWith(() => undefined), signal: stop.signal })
  stop.abort(new Error('stopped'))
  await expect(starting).rejects.toThrow('stopped')
})

test('calls fail at once while the bus is down, and work again when it is back, without a restart', async () => {
  await using fleet = await startFleet()
  const never = gate()
  let blocksCalls = false
  await fleet.serve(
    serverWith(() => {
      if (!blocksCalls) return
      return never.opened
    }),
  )
  const bus = await fleet.bus()
  const rpc = createRpcClient(bus, { name: 'test' })
  const check = () => createClient(AdminInternalService, rpc.transport()).checkLogin({})
  await check()

  let reconnects = 0
  bus.onReconnect(() => reconnects++)
  blocksCalls = true
  const inFlight = errorOf(check())
  await fleet.nats.stop()
  expect(await inFlight).toMatchObject({ code: Code.Unavailable })
  expect(bus.connected()).toBe(false)
  const error = await errorOf(check())
  expect(error.code).toBe(Code.Unavailable)
  expect(error.metadata.get('parley-reason')).toBe('no-bus')

  blocksCalls = false
  await fleet.nats.start()
  await eventually(async () => {
    const answer = await check().catch(() => undefined)
    return answer?.blocked === true
  })
  expect(reconnects).toBe(1)
  never.open()
  await rpc[Symbol.asyncDispose]()
})

test('connecting waits for a bus that is not up yet, until aborted', async () => {
  await using fleet = await startFleet()
  await fleet.nats.stop()
  const giveUp = new AbortController()
  const options = { url: fleet.nats.url, name: 'test', purpose: 'rpc' as const }
  const aborted = connectBus({ ...options, signal: giveUp.signal })
  const waited = connectBus(options)
  giveUp.abort(new Error('enough'))
  await expect(aborted).rejects.toThrow('enough')
  await fleet.nats.start()
  await using bus = await waited
  expect(bus.connected()).toBe(true)
})

/** Resolves when the client has tried to reconnect the given number of times. */
async function waitForAttempts(nc: NatsConnection, times: number): Promise<void> {
  let attempts = 0
  for await (const { type } of nc.status()) {
    if (type === DebugEvents.Reconnecting) attempts++
    if (attempts === times) return
  }
}

/** Connects, sends nothing, and waits until the server closes the connection. */
async function untilServerCloses(url: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).resume()
  await once(socket, 'close')
}

test('connection attempts abandoned while the bus was frozen do not end the later connection', async () => {
  await using fleet = await startFleet('authorization { user: u, password: p, timeout: 1 }')
  const bus = await fleet.bus({ user: 'u', password: 'p' })
  let isBack = false
  let lossesSince = 0
  bus.onReconnect(() => (isBack = true))
  bus.onDisconnect(() => (lossesSince += isBack ? 1 : 0))
  {
    using _ = fleet.nats.freeze()
    const second = waitForAttempts(bus.nc, 2)
    await bus.nc.reconnect()
    await second
  }
  await eventually(() => isBack)
  // The server closes the oldest connection first, so the abandoned attempts are closed before this connection.
  await untilServerCloses(fleet.nats.url)
  await bus.nc.flush()
  expect([lossesSince, bus.connected()]).toEqual([0, true])
})

test('a server that does not answer is abandoned for a new connection, and one that answers is kept', async () => {
  await using fleet = await startFleet()
  const bus = await fleet.bus()
  let losses = 0
  bus.onDisconnect(() => losses++)
  bus.verify()
  await bus.nc.flush()
  const isBack = new Promise<void>((resolve) => bus.onReconnect(resolve))
  {
    using _ = fleet.nats.freeze()
    await eventually(() => {
      bus.verify()
      return losses === 1
    })
  }
  await isBack
  expect([losses, bus.connected()]).toEqual([1, true])
})

test('a server that does not answer is abandoned even while much data waits to be sent', async () => {
  await using fleet = await startFleet()
  const bus = await fleet.bus()
  using _ = fleet.nats.freeze()
  const payload = new Uint8Array(512 * 1024)
  for (let sent = 0; sent < 64; sent++) bus.nc.publish('flood', payload)
  bus.verify()
  await eventually(() => !bus.connected())
})

test('a call without a reply detects a dead connection', async () => {
  await using fleet = await startFleet()
  await fleet.serve(serverWith(() => {}))
  const bus = await fleet.bus()
  await using rpc = createRpcClient(bus, { name: 'test' })
  const check = () => createClient(AdminInternalService, rpc.transport()).checkLogin({})
  await check()
  using _ = fleet.nats.freeze()
  const error = await errorOf(check())
  expect(error.code).toBe(Code.Unavailable)
  await eventually(() => !bus.connected())
})

test('a server does not start if the bus does not allow one of its subjects', async () => {
  await using fleet = await startFleet(`
    authorization { users: [ { user: u, password: p, permissions: {
      publish: ">"
      subscribe: ["_INBOX.test.>", "rpc.internal.svc_internal_v1_AdminInternalService.GetPolicy"] } } ] }`)
  await using bus = await fleet.bus({ user: 'u', password: 'p' })
  await expect(
    serveRpc(
      bus,
      serverWith(() => {}),
    ),
  ).rejects.toThrow(/rpc\.internal\.svc_internal_v1_AdminInternalService\.CheckLogin/)
})
