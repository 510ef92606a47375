import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { connect, Events, type NatsConnection } from 'nats'
import { ownedMethods, publicMethods, services } from '@parley/contracts/catalogue'
import { busUsers as users, deployableNames as deployables } from '@parley/contracts/deployables'
import { type Nats, startNats } from '@parley/local/infrastructure'
import { rpcSubject } from '@parley/rpc'
import { temporaryFolder } from './_folder.ts'

const responders = deployables.filter((name) => Object.keys(services[name]).length > 0)
const conf = fileURLToPath(new URL('../../../deploy/nats/parley.conf', import.meta.url))
const passwordOf = (user: string) => `password-of-${user}`
const folder = temporaryFolder()

let nats: Nats
const connections = new Map<string, NatsConnection>()
const refusals = new Map<string, Set<string>>()

beforeAll(async () => {
  const env = Object.fromEntries(users.map((user) => [`PARLEY_NATS_PASSWORD_${user.toUpperCase()}`, passwordOf(user)]))
  nats = await startNats({ dir: folder.path, conf, env })
  for (const user of users) {
    const nc = await connect({ servers: nats.url, user, pass: passwordOf(user), inboxPrefix: `_INBOX.${user}` })
    const refused = new Set<string>()
    connections.set(user, nc)
    refusals.set(user, refused)
    void (async () => {
      for await (const { type, permissionContext } of nc.status()) {
        if (type === Events.Error && permissionContext)
          refused.add(`${permissionContext.operation} ${permissionContext.subject}`)
      }
    })()
  }
})

afterAll(async () => {
  await Promise.all([...connections.values()].map((nc) => nc.close()))
  await nats.stop()
  folder[Symbol.dispose]()
})

function connectionOf(user: string): NatsConnection {
  const nc = connections.get(user)
  if (nc === undefined) throw new Error(`no user ${user}`)
  return nc
}

async function mayPublish(user: string, subject: string): Promise<boolean> {
  connectionOf(user).publish(subject)
  await connectionOf(user).flush()
  // The refusal arrives before the reply to the flush, but its listener runs one turn of the event loop later.
  await new Promise((resolve) => setImmediate(resolve))
  return refusals.get(user)?.delete(`publish ${subject}`) !== true
}

async function maySubscribe(user: string, subject: string, queue?: string): Promise<boolean> {
  let refused = false
  const subscription = connectionOf(user).subscribe(subject, {
    ...(queue === undefined ? {} : { queue }),
    callback: (error) => (refused ||= error !== null),
  })
  await connectionOf(user).flush()
  subscription.unsubscribe()
  return !refused
}

describe('connections', () => {
  test('need a user and its own password', async () => {
    await expect(connect({ servers: nats.url, reconnect: false })).rejects.toThrow(/authorization/i)
    const wrong = { user: 'gateway', pass: passwordOf('rooms'), reconnect: false }
    await expect(connect({ servers: nats.url, ...wrong })).rejects.toThrow(/authorization/i)
  })
})

describe('public methods', () => {
  test.each(users)('%s can answer the methods it owns, in its queue group, and no others', async (user) => {
    const owner = deployables.find((name) => name === user)
    const owned = owner === undefined ? [] : ownedMethods(owner)
    const allowed: string[] = []
    for (const method of publicMethods)
      if (await maySubscribe(user, rpcSubject(method), user)) allowed.push(rpcSubject(method))
    expect(allowed).toEqual(owned.map(rpcSubject))
  })

  test('no user can subscribe to calls outside the queue group of the service', async () => {
    for (const user of users) {
      expect(await maySubscribe(user, 'rpc.svc_api_v1_MessageService.CreateMessage')).toBe(false)
      expect(await maySubscribe(user, 'rpc.>')).toBe(false)
      expect(await maySubscribe(user, '>')).toBe(false)
    }
  })

  test('only the gateway can call them', async () => {
    const may: string[] = []
    for (const user of users) if (await mayPublish(user, 'rpc.svc_api_v1_RoomService.CreateRoom')) may.push(user)
    expect(may).toEqual(['gateway'])
  })
})

describe('internal methods', () => {
  const internal = (service: string, method: string) => `rpc.internal.svc_internal_v1_${service}.${method}`

  test.each([
    ['AccountsInternalService', 'PasswordLogin', ['gateway']],
    ['AccountsInternalService', 'EndCredentials', ['gateway']],
    ['AccountsInternalService', 'Authenticate', ['gateway', 'uploads']],
    ['AccountsInternalService', 'GetPresences', ['notifications']],
    ['AccountsInternalService', 'OpenSockets', ['realtime']],
    ['MessagingInternalService', 'ApplyRoomFacts', ['rooms']],
    ['MessagingInternalService', 'ApplyRoomEvents', ['uploads', 'calls']],
    ['MessagingInternalService', 'PreviewMessages', ['notifications']],
    ['RoomsInternalService', 'ListRecipients', ['notifications', 'calls']],
    ['RoomsInternalService', 'ListPresenceAudiences', ['accounts']],
    ['AdminInternalService', 'DenyPosting', ['rooms']],
    ['AdminInternalService', 'DenyEntry', ['rooms']],
    ['AdminInternalService', 'CheckLogins', ['accounts']],
    ['AccountsTransferService', 'ExportPeople', ['operator']],
    ['RoomsTransferService', 'ImportRoom', ['operator']],
    ['MessagingTransferService', 'ExportMessages', ['operator']],
    ['UploadsTransferService', 'ExportFile', ['operator']],
    ['UploadsOperatorService', 'CheckStorage', ['operator']],
    ['AdminInternalService', 'GetPolicy', ['realtime', 'accounts', 'rooms', 'messaging', 'uploads']],
    ['OperatorService', 'CreateUser', ['operator']],
    ['OperatorService', 'BootstrapOwner', ['operator']],
  ])('%s.%s can be called only by the users that need it', async (service, method, requesters) => {
    const may: string[] = []
    for (const user of users) if (await mayPublish(user, internal(service, method))) may.push(user)
    expect(may).toEqual(requesters)
  })

  test.each([
    ['AccountsInternalService', 'accounts'],
    ['OperatorService', 'accounts'],
    ['AccountsTransferService', 'accounts'],
    ['RoomsTransferService', 'rooms'],
    ['MessagingTransferService', 'messaging'],
    ['UploadsTransferService', 'uploads'],
    ['UploadsOperatorService', 'uploads'],
    ['RoomsInternalService', 'rooms'],
    ['MessagingInternalService', 'messaging'],
    ['AdminInternalService', 'admin'],
    ['NotificationsInternalService', 'notifications'],
  ])('%s can be answered only by its owner', async (service, owner) => {
    const may: string[] = []
    for (const user of users) if (await maySubscribe(user, internal(service, 'Method'), user)) may.push(user)
    expect(may).toEqual([owner])
  })
})

describe('inboxes', () => {
  test.each(users)('%s can subscribe to its own inbox and to no other', async (user) => {
    for (const owner of users) expect(await maySubscribe(user, `_INBOX.${owner}.abc.*`)).toBe(owner === user)
    expect(await maySubscribe(user, '_INBOX.>')).toBe(false)
  })

  test('a service can answer calls to itself, and none to another service', async () => {
    for (const user of users) {
      for (const requested of responders) {
        for (const requester of ['gateway', 'operator', 'rooms'])
          expect(await mayPublish(user, `_INBOX.${requester}.${requested}.abc.1`)).toBe(user === requested)
      }
      expect(await mayPublish(user, '_INBOX.gateway.abc.1')).toBe(false)
    }
  })
})

describe('events', () => {
  test('are published and consumed in a separate account from calls', async () => {
    for (const user of users) {
      for (const subject of [
        'evt.room.R1.message_posted',
        'wake.rooms.3',
        '$JS.API.INFO',
        '$JS.ACK.EVENTS.x.1',
        'stream.rooms.state',
      ])
        expect([user, subject, await mayPublish(user, subject)]).toEqual([user, subject, false])
      for (const subject of ['evt.>', 'wake.rooms.3', 'deliver.rooms.abc', 'stream.*.*'])
        expect([user, subject, await maySubscribe(user, subject)]).toEqual([user, subject, false])
    }
  })

  test('each deployable has its own user for them, with its own password', async () => {
    for (const user of deployables) {
      const nc = await connect({ servers: nats.url, user: `${user}-events`, pass: passwordOf(user), reconnect: false })
      await nc.close()
      const wrong = { user: `${user}-events`, pass: passwordOf(user === 'rooms' ? 'calls' : 'rooms'), reconnect: false }
      await expect(connect({ servers: nats.url, ...wrong })).rejects.toThrow(/authorization/i)
    }
  })
})

describe('hints', () => {
  test.each([
    ['hint.presence.U1', 'accounts'],
    ['hint.typing.R1', 'messaging'],
  ])('only one deployable can publish %s, and only the realtime nodes can receive it', async (subject, publisher) => {
    for (const user of users) {
      expect(await mayPublish(user, subject)).toBe(user === publisher)
      expect(await maySubscribe(user, subject)).toBe(user === 'realtime')
    }
  })
})

test('the operator may not call public methods, send hints, or use the stream', async () => {
  expect(await mayPublish('operator', 'rpc.svc_api_v1_ServerService.GetServer')).toBe(false)
  expect(await mayPublish('operator', 'hint.typing')).toBe(false)
  expect(await mayPublish('operator', '$JS.API.INFO')).toBe(false)
  expect(await maySubscribe('operator', 'evt.>')).toBe(false)
})
