import { randomBytes } from 'node:crypto'
import { Code, ConnectError } from '@connectrpc/connect'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { credentialDigest, signSessionCookie } from '@parley/credentials'
import {
  AccountsInternalService,
  AdminInternalService,
  RoomsInternalService,
  type GetPolicyResponse,
} from '@parley/contracts/internal'
import { declareStreams } from '@parley/events'
import type { Bus } from '@parley/rpc'
import { Resources, type Service } from '@parley/runtime'
import { eventually, fakeLeaf, standardPolicy, testBus, testNats, type TestNats } from '@parley/testkit'
import { readConfig } from '../src/config.ts'
import { startRealtime, type Overrides } from '../src/service.ts'
import { postedTo, publish } from './_events.ts'
import { Socket } from './_socket.ts'

export const secretKey = 'a secret key that is long enough for tests'
export const cookieSecret = 'another secret that is long enough for tests'

type Question = 'accounts' | 'rooms' | 'admin'
type Standing = { roomId: string; member?: boolean; banned?: boolean; version: number }
type Session = { userId: string; credentialId: string; roleIds: string[]; rolesVersion: bigint; expiresAt: Date }

export type Node = Service & { url: string }

export type Env = AsyncDisposable & {
  nats: TestNats
  bus: Bus
  policy: GetPolicyResponse
  /** Sessions that hold, by digest in hex. */
  sessions: Map<string, Session>
  /** Where people stand, as rooms answers. */
  standings: Map<string, Standing[]>
  universalRooms: { roomId: string; version: number; universal?: boolean }[]
  /** How often each neighbour was asked. */
  asked: Record<Question, number>
  /** Digests in hex that accounts was asked about. */
  lookedUp: Set<string>
  away: Set<Question>
  /** Lets the neighbour take questions without answering them, until the result is called. */
  hold: (question: Question) => () => void
  /** A token that stands for a user. */
  signIn: (userId: string, session?: Partial<Session>) => string
  start: (settings?: Record<string, string>, overrides?: Overrides) => Promise<Node>
  /** A socket with a running stream of a user. */
  socketOf: (node: Node, userId: string) => Promise<Socket>
}

/** Everything around realtime over a real bus; the neighbours are stand-ins. */
export async function openEnv(): Promise<Env> {
  await using opened = new Resources()
  const nats = opened.use(await testNats())
  const { bus } = opened.use(await testBus(nats.url))
  await declareStreams(bus)

  const policy = standardPolicy()
  const sessions: Env['sessions'] = new Map()
  const standings: Env['standings'] = new Map()
  const universalRooms: Env['universalRooms'] = []
  const asked: Env['asked'] = { accounts: 0, rooms: 0, admin: 0 }
  const away: Env['away'] = new Set()
  const lookedUp: Env['lookedUp'] = new Set()
  const held = new Map<Question, Promise<void>>()
  const answer = async <T>(question: Question, value: () => T): Promise<T> => {
    asked[question]++
    // What is answered is what was known when the question came.
    const known = value()
    await held.get(question)
    if (away.has(question)) throw new ConnectError('away', Code.Unavailable)
    return known
  }
  const callers = (digests: Uint8Array[]) =>
    answer('accounts', () => ({
      entries: digests.flatMap((digest) => {
        const session = sessions.get(Buffer.from(digest).toString('hex'))
        return session ? [{ digest, caller: { ...session, expiresAt: timestampFromDate(session.expiresAt) } }] : []
      }),
    }))
  opened.use(
    await fakeLeaf(bus, (routes) => {
      routes.service(AdminInternalService, { getPolicy: () => answer('admin', () => structuredClone(policy)) })
      routes.service(AccountsInternalService, {
        openSockets: ({ digests }) => {
          for (const digest of digests) lookedUp.add(Buffer.from(digest).toString('hex'))
          return callers(digests)
        },
        checkCredentials: ({ credentialIds }) =>
          answer('accounts', () => {
            const holding = new Set([...sessions.values()].map(({ credentialId }) => credentialId))
            return { credentialIds: credentialIds.filter((id) => holding.has(id)) }
          }),
        rekeyCredentials: ({ entries }) => {
          for (const { previous, digest } of entries) {
            const session = sessions.get(Buffer.from(previous).toString('hex'))
            sessions.delete(Buffer.from(previous).toString('hex'))
            if (session) sessions.set(Buffer.from(digest).toString('hex'), session)
          }
          return {}
        },
      })
      routes.service(RoomsInternalService, {
        listUniversalRooms: () => ({
          rooms: universalRooms.map(({ roomId, version, universal = true }) => ({
            roomId,
            groupId: 'G1',
            universal,
            version: BigInt(version),
          })),
        }),
        openSockets: ({ userIds }) =>
          answer('rooms', () => ({
            entries: userIds.map((userId) => ({
              userId,
              standings: (standings.get(userId) ?? []).map(({ roomId, member = false, banned = false, version }) => ({
                roomId,
                member,
                banned,
                memberVersion: BigInt(version),
                banVersion: banned ? BigInt(version) : 0n,
              })),
            })),
          })),
      })
    }),
  )
  const processes = opened.use(new Resources())
  const sockets: Socket[] = []
  opened.defer('sockets', () => sockets.forEach((socket) => socket.close()))
  const closing = opened.move()
  const env: Env = {
    nats,
    bus,
    policy,
    sessions,
    standings,
    universalRooms,
    asked,
    lookedUp,
    away,
    hold(question) {
      let release = () => {}
      held.set(question, new Promise((resolve) => (release = resolve)))
      return () => {
        held.delete(question)
        release()
      }
    },
    signIn(userId, session = {}) {
      const token = `prl_AT${randomBytes(20).toString('hex')}`
      sessions.set(credentialDigest(secretKey, token).toString('hex'), {
        userId,
        credentialId: `S${token.slice(-6)}`,
        roleIds: [],
        rolesVersion: 1n,
        expiresAt: new Date(Date.now() + 3600_000),
        ...session,
      })
      return token
    },
    async start(settings = {}, overrides = {}) {
      const config = readConfig({
        env: {
          PARLEY_NATS_URL: nats.url,
          PARLEY_CORE_SECRET_KEY: secretKey,
          PARLEY_WEBSERVER_URL: 'http://chat.example.org',
          PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET: cookieSecret,
          PARLEY_REALTIME_HOST: '127.0.0.1',
          PARLEY_REALTIME_PORT: '0',
          PARLEY_REALTIME_DRAIN_WINDOW: '100ms',
          ...settings,
        },
      })
      const service = await startRealtime(config, overrides)
      let ended: Promise<void> | undefined
      const node = {
        ...service,
        url: service.url ?? '',
        [Symbol.asyncDispose]: () => (ended ??= end(service)),
      }
      return processes.use(node)
    },
    async socketOf(node, userId) {
      const socket = await Socket.subscribed(node.url, env.signIn(userId))
      sockets.push(socket)
      return socket
    },
    [Symbol.asyncDispose]: async () => closing[Symbol.asyncDispose](),
  }
  return env
}

async function end(service: Service): Promise<void> {
  await service[Symbol.asyncDispose]()
}

/** The cookie header of a browser session. */
export const cookieOf = (handle: string): string => `parley_session=${signSessionCookie(cookieSecret, handle)}`

/** Waits until a started node takes sockets. */
export async function ready(node: Service): Promise<void> {
  await eventually(async () => {
    const response = await fetch(`http://127.0.0.1:${node.internalPort}/readyz`)
    if (response.status !== 200) throw new Error(await response.text())
  })
}

let marks = 0

/** Tells people something of their own and waits until their sockets have it: what was published before has arrived then. */
export async function settle(env: Env, people: Record<string, Socket[]>): Promise<void> {
  const mark = postedTo(Object.keys(people), `Rmark${++marks}`, 1)
  await publish(env.bus, mark)
  await Promise.all(
    Object.values(people)
      .flat()
      .map((socket) => socket.hears(mark.id)),
  )
}

/** What sockets heard, but for the marks. */
export const heardBy = (socket: Socket): string[] =>
  socket.events.filter(({ event }) => !JSON.stringify(event.value ?? {}).includes('Rmark')).map(({ id }) => id)
