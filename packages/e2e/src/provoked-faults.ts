import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { RoomService } from '@parley/contracts/api'
import { eventually, freeze } from '@parley/testkit'
import { databaseOf } from './databases.ts'
import type { EverydayUsers } from './everyday-use.ts'
import { fleet, serverPid } from './fleet.ts'
import { newPerson, operate, type Person } from './people.ts'
import { processesOf, waitUntilHealthy } from './processes.ts'
import { newRoom, post } from './rooms.ts'
import { Socket } from '@parley/testkit/realtime-socket'

type WaitUntilShown = (query: string) => Promise<void>

/** Freezes both processes of a service until each query has a result above 0. */
export async function withoutService(name: string, waitUntilShown: WaitUntilShown, queries: string[]): Promise<void> {
  const frozenNow = processesOf(name).map(({ pid }) => freeze(pid))
  try {
    for (const query of queries) await waitUntilShown(query)
  } finally {
    for (const one of frozenNow) one[Symbol.dispose]()
  }
  await waitUntilHealthy()
}

/** Freezes both processes of a service for two seconds, repeatedly, until the query has a result above 0. */
export async function withPausesOf(name: string, waitUntilShown: WaitUntilShown, query: string): Promise<void> {
  await repeatFault(waitUntilShown(query), async () => {
    const frozenNow = processesOf(name).map(({ pid }) => freeze(pid))
    await sleep(2_000)
    for (const one of frozenNow) one[Symbol.dispose]()
  })
  await waitUntilHealthy()
}

export async function withoutRedis(waitUntilShown: WaitUntilShown, query: string): Promise<void> {
  {
    using _ = freeze(serverPid('redis'))
    await waitUntilShown(query)
  }
  await waitUntilHealthy()
}

/** Freezes NATS for four seconds, repeatedly, until each query has a result above 0. */
export async function withPausesOfNats(waitUntilShown: WaitUntilShown, queries: string[]): Promise<void> {
  await repeatFault(Promise.all(queries.map(waitUntilShown)), async () => {
    using _ = freeze(serverPid('nats'))
    await sleep(4_000)
  })
  await waitUntilHealthy()
}

/** Stops PostgreSQL, again after each restart, until the query has a result above 0. */
export async function withoutPostgres(waitUntilShown: WaitUntilShown, query: string): Promise<void> {
  await repeatFault(waitUntilShown(query), () => eventually(() => void process.kill(serverPid('postgres'), 'SIGINT')))
  await waitUntilHealthy()
}

async function repeatFault(shown: Promise<unknown>, fault: () => Promise<void>): Promise<void> {
  const stopping = new AbortController()
  const causing = (async () => {
    while (!stopping.signal.aborted) {
      await fault()
      await sleep(2_000, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  })()
  try {
    await shown
  } finally {
    stopping.abort()
    await causing
  }
}

const callsPerPersonAndGateway = 60

/** More calls wait for a locked table than messaging runs at a time. */
export async function fillQueues(owner: Person, waitUntilShown: WaitUntilShown, query: string): Promise<void> {
  const people = await Promise.all(Array.from({ length: 6 }, () => newPerson('reader')))
  const roomId = await newRoom(owner, people)
  await using database = await databaseOf('messaging')
  await database.query('begin')
  await database.query('lock table room_events in access exclusive mode')
  const stopping = new AbortController()
  const read = async (person: Person, base: string) => {
    while (!stopping.signal.aborted)
      await person.attempt(RoomService.method.getRoomEvents, { roomId }, { base }).catch(() => undefined)
  }
  const reading = people.flatMap((person) =>
    fleet().gateways.flatMap((base) => Array.from({ length: callsPerPersonAndGateway }, () => read(person, base))),
  )
  try {
    await waitUntilShown(query)
  } finally {
    stopping.abort()
    await database.query('rollback')
    await Promise.all(reading)
  }
  await waitUntilHealthy()
}

/** The socket sends pings without reading the answers. */
export async function readTooSlowly(token: string, waitUntilShown: WaitUntilShown): Promise<void> {
  using socket = await Socket.subscribe(fleet().realtimeNodes[0], token)
  socket.pause()
  // Below the limits of a client: 20 frames and 256 KiB a second.
  const sending = setInterval(
    () => socket.send({ case: 'ping', value: { nonce: randomBytes(7_000).toString('hex') } }),
    80,
  )
  try {
    await waitUntilShown('sum(rate(parley_realtime_slow_consumers_total[10s]))')
  } finally {
    clearInterval(sending)
  }
}

/** The service `notifications` fails on an event. At the end the cause is removed and the event replayed. */
export async function parkAnEvent(
  { owner, bob }: Pick<EverydayUsers, 'owner' | 'bob'>,
  waitUntilShown: WaitUntilShown,
): Promise<void> {
  const carol = await newPerson('carol')
  const roomId = await newRoom(owner, [bob, carol])
  await using database = await databaseOf('notifications')
  await database.query(`
    create function refuse_poison() returns trigger language plpgsql as
      $$ begin if new.room_id = '${roomId}' then raise exception 'poison'; end if; return new; end $$;
    create trigger refuse_poison before insert on notifications for each row execute function refuse_poison()`)
  try {
    await post(bob, roomId, `@${carol.login}`)
    await waitUntilShown('sum(rate(parley_consumer_failures_total[10s]))')
    await waitUntilShown('ALERTS{alertname="ParleyEventsParked"}')
  } finally {
    await database.query('drop function refuse_poison cascade')
  }
  await operate(['events', 'replay', '--all'])
}
