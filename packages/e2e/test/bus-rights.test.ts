import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { busUsers, deployableNames } from '@parley/contracts/deployables'
import { dataDirAt } from '@parley/local'
import { eventually } from '@parley/testkit'
import { connect, type ConnectionOptions, type NatsConnection } from 'nats'
import { fleet } from '../src/fleet.ts'

const files = () => dataDirAt(fleet().dataDir)
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>

async function connectAs(user: string | undefined, pass?: string): Promise<NatsConnection & AsyncDisposable> {
  const options: ConnectionOptions = {
    servers: read(files().operatorFile).natsUrl ?? '',
    reconnect: false,
    timeout: 5_000,
  }
  if (user !== undefined) Object.assign(options, { user, pass: pass ?? read(files().secretsFile)[`nats.${user}`] })
  const nc = await connect({ ...options, ...(user === undefined ? {} : { inboxPrefix: `_INBOX.${user}` }) })
  return Object.assign(nc, { [Symbol.asyncDispose]: () => nc.close() })
}

/** The error of the bus, or undefined if the bus accepts the message. */
async function publishRefusal(nc: NatsConnection, subject: string): Promise<string | undefined> {
  let refusal: string | undefined
  void (async () => {
    for await (const { type, data } of nc.status()) if (String(type) === 'error') refusal = JSON.stringify(data)
  })()
  nc.publish(subject, new Uint8Array())
  // The error arrives before the response to the first flush; the second flush gives the loop above time to receive it.
  await nc.flush()
  await nc.flush()
  return refusal
}

async function subscribeRefusal(nc: NatsConnection, subject: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    nc.subscribe(subject, { callback: (error) => error && resolve(error.message) })
    nc.flush().then(() => setTimeout(() => resolve(undefined), 100), reject)
  })
}

const createRoom = 'rpc.svc_api_v1_RoomService.CreateRoom'
const createUser = 'rpc.internal.svc_internal_v1_OperatorService.CreateUser'

test.each([
  ['a client without credentials', undefined, undefined],
  ['a wrong password', 'gateway', 'wrong'],
  ['an unknown user', 'root', 'root'],
])('%s is refused', async (_, user, password) => {
  await expect(connectAs(user, password)).rejects.toThrow(/authorization|authentication/i)
})

describe('only the gateway can act for users', () => {
  test.each(busUsers.filter((user) => user !== 'gateway'))('%s may not call a public method', async (user) => {
    await using nc = await connectAs(user)
    expect(await publishRefusal(nc, createRoom)).toMatch(/permission/i)
  })

  test('the gateway may call a public method', async () => {
    await using nc = await connectAs('gateway')
    expect(await publishRefusal(nc, createRoom)).toBeUndefined()
  })
})

describe('the operator method that creates accounts', () => {
  test.each(['gateway', 'realtime', 'rooms', 'messaging'])('may not be called by %s', async (user) => {
    await using nc = await connectAs(user)
    expect(await publishRefusal(nc, createUser)).toMatch(/permission/i)
  })
})

describe('only the operator may import and export data, and check the storage', () => {
  const methods = [
    'AccountsTransferService.ExportPeople',
    'RoomsTransferService.ImportRoom',
    'MessagingTransferService.ExportMessages',
    'UploadsTransferService.ExportFile',
    'UploadsOperatorService.CheckStorage',
  ].map((method) => `rpc.internal.svc_internal_v1_${method}`)

  test.each(deployableNames)('%s may not', async (user) => {
    await using nc = await connectAs(user)
    for (const method of methods)
      expect([method, await publishRefusal(nc, method)]).toEqual([method, expect.stringMatching(/permission/i)])
  })

  test('the operator may', async () => {
    await using nc = await connectAs('operator')
    for (const method of methods) expect(await publishRefusal(nc, method)).toBeUndefined()
  })
})

describe('a subscription to subjects of others is refused:', () => {
  test.each([
    ['gateway', '>'],
    ['gateway', 'evt.>'],
    ['operator', 'evt.>'],
    ['operator', 'rpc.>'],
    ['calls', createRoom],
    ['rooms', '_INBOX.gateway.>'],
    ['messaging', '_INBOX.accounts.>'],
    ['uploads', 'rpc.internal.svc_internal_v1_AccountsInternalService.PasswordLogin'],
  ])('%s may not subscribe to %s', async (user, subject) => {
    await using nc = await connectAs(user)
    expect(await subscribeRefusal(nc, subject)).toMatch(/permission/i)
  })
})

describe('an event of another service is refused:', () => {
  test.each([
    ['gateway', 'evt.room.R1.message_posted'],
    ['realtime', 'evt.room.R1.message_posted'],
    ['operator', 'evt.user.U1.user_created'],
    ['rooms', 'evt.room.R1.message_posted'],
    ['messaging', 'evt.control.user.U1.roles_changed'],
  ])('%s may not publish to %s', async (user, subject) => {
    await using nc = await connectAs(user)
    expect(await publishRefusal(nc, subject)).toMatch(/permission/i)
  })
})

test('services pull from all durable consumers', async () => {
  await using nc = await connectAs('admin-events', read(files().secretsFile)['nats.admin'])
  const manager = await nc.jetstreamManager({ checkAPI: false })
  const pulled = new Set<string>()
  await eventually(async () => {
    const idle: string[] = []
    for await (const { name, config, num_waiting } of manager.consumers.list('EVENTS')) {
      if (num_waiting > 0) pulled.add(name)
      if (config.durable_name !== undefined && !pulled.has(name)) idle.push(name)
    }
    expect(idle).toEqual([])
  })
})
