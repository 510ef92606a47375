import { describe, expect, test } from '@jest/globals'
import { create, fromBinary, toBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { RealtimeClientFrameSchema, RealtimeServerFrameSchema } from '@parley/contracts/realtime'
import { DependencyUnavailable } from '../engines/hub/index.ts'
import { Connection, type Socket } from './connection.ts'
import type { ConnectionContext } from './connection-context.ts'
import { helloFrame } from './server-frames.ts'

test('sockets opened together do not all expire together', () => {
  const context = { handshakeTimeoutMs: 1_000 } as ConnectionContext
  const now = performance.now()
  const sockets = Array.from({ length: 200 }, () => new Connection({} as Socket, { address: '' } as never, context))
  const countOlder = (afterMs: number) => sockets.filter((socket) => socket.isOlderThan(100_000, now + afterMs)).length
  expect([countOlder(70_000), countOlder(130_000)]).toEqual([0, 200])
  expect(countOlder(100_000)).toBeGreaterThan(50)
  expect(countOlder(100_000)).toBeLessThan(150)
})

describe('a client that sends its subscription with its hello', () => {
  const none = () => undefined
  type ClientFrame = NonNullable<MessageInitShape<typeof RealtimeClientFrameSchema>['frame']>

  function open(load: Promise<void>) {
    const writes: (string | undefined)[][] = []
    let corked: (string | undefined)[] | undefined
    const socket = {
      send(frame: Uint8Array) {
        const name = fromBinary(RealtimeServerFrameSchema, frame).frame.case
        if (corked) corked.push(name)
        else writes.push([name])
        return 1
      },
      cork(send: () => void) {
        writes.push((corked = []))
        send()
        corked = undefined
        return this as unknown as Socket
      },
      end: none,
    } as unknown as Socket
    const context = {
      ...{ handshakeTimeoutMs: 1_000, socketsPerPerson: 0, hello: helloFrame('1', 15) },
      ...{ overloadDelayMs: none, retryAfterMs: () => 0, digestsToTry: () => [{}] },
      credentialAttempts: {
        wait: () => 0,
        lookUp: async (_: unknown, find: () => Promise<unknown>) => ({ found: await find(), waitMs: 0 }),
      },
      opener: { wasValid: () => true, authenticate: async () => ({ userId: 'Uanna' }), loadStandings: () => load },
      hub: { attach: () => ({}), detach: none, subscribe: none, position: 'a.b' },
      metrics: { countOpened: none, countFailed: none },
    } as unknown as ConnectionContext
    const connection = new Connection(socket, { address: '' } as never, context)
    const receive = (frame: ClientFrame) => {
      const bytes = toBinary(RealtimeClientFrameSchema, create(RealtimeClientFrameSchema, { frame }))
      connection.receive(Uint8Array.from(bytes).buffer, true)
    }
    receive({ case: 'hello', value: { protocolVersion: 1 } })
    receive({ case: 'subscribeEvents', value: {} })
    return writes
  }
  const settled = () => new Promise(setImmediate)

  test('receives both answers in one write', async () => {
    const writes = open(Promise.resolve())
    await settled()
    expect(writes).toEqual([['hello', 'subscribed']])
  })

  test('receives the hello before the error if the subscription fails', async () => {
    const writes = open(Promise.reject(new DependencyUnavailable('a call to rooms failed')))
    await settled()
    expect(writes).toEqual([['hello', 'error']])
  })
})
