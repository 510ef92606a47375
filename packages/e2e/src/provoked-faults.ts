import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { RoomService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import { databaseOf } from './databases.ts'
import type { Cast } from './everyday-use.ts'
import { fleet, serverPid } from './fleet.ts'
import { newPerson, operate, type Person } from './people.ts'
import { frozen, processesOf, wholeAgain } from './processes.ts'
import { newRoom, post } from './rooms.ts'
import { Socket } from './socket.ts'

/** Resolves as soon as the fault shows in the metrics. */
type Shown = (query: string) => Promise<void>

/** Freezes both processes of a service until each query gives a number above 0. */
export async function withoutService(name: string, shown: Shown, queries: string[]): Promise<void> {
  const frozenNow = processesOf(name).map(({ pid }) => frozen(pid))
  try {
    for (const query of queries) await shown(query)
  } finally {
    for (const one of frozenNow) one[Symbol.dispose]()
  }
  await wholeAgain()
}

/** Freezes both processes of a service for moments, in which calls arrive, until a query gives a number above 0. */
export async function withPausesOf(name: string, shown: Shown, query: string): Promise<void> {
  await repeatedly(shown(query), async () => {
    const frozenNow = processesOf(name).map(({ pid }) => frozen(pid))
    await sleep(2_000)
    for (const one of frozenNow) one[Symbol.dispose]()
  })
  await wholeAgain()
}

/** Freezes Redis until a query gives a number above 0. */
export async function withoutRedis(shown: Shown, query: string): Promise<void> {
  {
    using _ = frozen(serverPid('redis'))
    await shown(query)
  }
  await wholeAgain()
}

/** Freezes NATS for moments until each query gave a number above 0. */
export async function withPausesOfNats(shown: Shown, queries: string[]): Promise<void> {
  await repeatedly(Promise.all(queries.map(shown)), async () => {
    using _ = frozen(serverPid('nats'))
    await sleep(4_000)
  })
  await wholeAgain()
}

/** Ends PostgreSQL, which is started again, until a query gives a number above 0. */
export async function withoutPostgres(shown: Shown, query: string): Promise<void> {
  await repeatedly(shown(query), () => eventually(() => void process.kill(serverPid('postgres'), 'SIGINT')))
  await wholeAgain()
}

/** Causes a fault again and again, with pauses in which the fleet works, until something is shown. */
async function repeatedly(isShown: Promise<unknown>, fault: () => Promise<void>): Promise<void> {
  const stopping = new AbortController()
  const causing = (async () => {
    while (!stopping.signal.aborted) {
      await fault()
      await sleep(2_000, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  })()
  try {
    await isShown
  } finally {
    stopping.abort()
    await causing
  }
}

/** A gateway refuses more calls of one person at a time. */
const callsOfOnePerson = 60

/** More calls than messaging may run while its database does not answer, until a query gives a number above 0. */
export async function waitInQueues(owner: Person, shown: Shown, query: string): Promise<void> {
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
    fleet().gateways.flatMap((base) => Array.from({ length: callsOfOnePerson }, () => read(person, base))),
  )
  try {
    await shown(query)
  } finally {
    stopping.abort()
    await database.query('rollback')
    await Promise.all(reading)
  }
  await wholeAgain()
}

/** A client that sends and does not read, until the server closes its socket. */
export async function readTooSlowly(token: string, shown: Shown): Promise<void> {
  using socket = await Socket.subscribed(fleet().realtimeNodes[0], token)
  socket.pause()
  // Below the limits of a client: 20 frames and 256 KiB a second.
  const asking = setInterval(
    () => socket.send({ case: 'ping', value: { nonce: randomBytes(7_000).toString('hex') } }),
    80,
  )
  try {
    await shown('sum(rate(parley_realtime_slow_consumers_total[10s]))')
  } finally {
    clearInterval(asking)
  }
}

/** An event on which the consumer of notifications fails each time, until it is parked; then it is replayed. */
export async function parkAnEvent({ owner, bob }: Pick<Cast, 'owner' | 'bob'>, shown: Shown): Promise<void> {
  const carol = await newPerson('carol')
  const roomId = await newRoom(owner, [bob, carol])
  await using database = await databaseOf('notifications')
  await database.query(`
    create function refuse_poison() returns trigger language plpgsql as
      $$ begin if new.room_id = '${roomId}' then raise exception 'poison'; end if; return new; end $$;
    create trigger refuse_poison before insert on notifications for each row execute function refuse_poison()`)
  try {
    await post(bob, roomId, `@${carol.login}`)
    await shown('sum(rate(parley_consumer_failures_total[10s]))')
    await shown('ALERTS{alertname="ParleyEventsParked"}')
  } finally {
    await database.query('drop function refuse_poison cascade')
  }
  await operate(['events', 'replay', '--all'])
}
