import { beforeAll, expect, test } from '@jest/globals'
import { Code, ConnectError } from '@connectrpc/connect'
import type { ApplyFacts } from '../src/clients/messaging.ts'
import { openFactDelivery } from '../src/engines/delivery/fact-delivery.ts'
import { createWalk } from '../src/jobs/check-messaging.ts'
import { lobbyOf, useEnv } from './_env.ts'

const env = useEnv()
beforeAll(async () => {
  await env.start()
  await lobbyOf(env)
})

const failToRead = () => Promise.reject(new Error('not expected to be called'))

/** Runs steps until one calls messaging: the first ones may reach the end of the walk without finding a room. */
async function walkToRoom(failure: ConnectError): Promise<number> {
  let requested = 0
  const apply: ApplyFacts = async () => {
    requested++
    throw failure
  }
  await using delivery = openFactDelivery({ db: env.db, apply, read: failToRead, timeoutMs: 1000 })
  const walk = createWalk({ db: env.db, delivery }, apply, { signal: new AbortController().signal, pausePerStepMs: 0 })
  for (;;) {
    const pauseMs = await walk()
    if (requested > 0) return pauseMs
  }
}

test.each([Code.Unavailable, Code.DeadlineExceeded])(
  'the walk does not fail while messaging is unavailable (code %s)',
  async (code) => {
    expect(await walkToRoom(new ConnectError('unavailable', code))).toBeGreaterThan(0)
  },
)

test('the walk fails with any other error of messaging', async () => {
  await expect(walkToRoom(new ConnectError('a bug', Code.Internal))).rejects.toThrow('a bug')
})
