import { randomBytes } from 'node:crypto'
import { Code, ConnectError } from '@connectrpc/connect'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { credentialDigest } from '@parley/credentials'
import { AccountsInternalService, AdminInternalService, RoomsInternalService } from '@parley/contracts/internal'
import type { ServiceRoutes } from '@parley/rpc'
import { standardPolicy } from '@parley/testkit'

export const secretKey = 'a secret key that is long enough for tests'

type ServiceName = 'accounts' | 'rooms' | 'admin'
type Standing = { roomId: string; member?: boolean; banned?: boolean; version: number }
type Session = { userId: string; credentialId: string; roleIds: string[]; rolesVersion: bigint; expiresAt: Date }

/** Stand-ins for accounts, rooms and admin, with state that tests may change at any time, and counts of their calls. */
export function createStandIns() {
  const policy = standardPolicy()
  const sessions: Map<string, Session> = new Map()
  const standings: Map<string, Standing[]> = new Map()
  const universalRooms: { roomId: string; version: number; universal?: boolean }[] = []
  /** Number of requests, without `ListUniversalRooms` and `RekeyCredentials`. */
  const requests: Record<ServiceName, number> = { accounts: 0, rooms: 0, admin: 0 }
  const unavailable: Set<ServiceName> = new Set()
  const lookedUp: Set<string> = new Set()
  const held = new Map<ServiceName, Promise<void>>()
  const answer = async <T>(service: ServiceName, value: () => T): Promise<T> => {
    requests[service]++
    // The state at the time of the call.
    const response = value()
    await held.get(service)
    if (unavailable.has(service)) throw new ConnectError('unavailable', Code.Unavailable)
    return response
  }
  const callers = (digests: Uint8Array[]) =>
    answer('accounts', () => ({
      entries: digests.flatMap((digest) => {
        const session = sessions.get(Buffer.from(digest).toString('hex'))
        return session ? [{ digest, caller: { ...session, expiresAt: timestampFromDate(session.expiresAt) } }] : []
      }),
    }))
  const routes = (routes: ServiceRoutes): void => {
    routes.service(AdminInternalService, { getPolicy: () => answer('admin', () => structuredClone(policy)) })
    routes.service(AccountsInternalService, {
      openSockets: ({ digests }) => {
        for (const digest of digests) lookedUp.add(Buffer.from(digest).toString('hex'))
        return callers(digests)
      },
      checkCredentials: ({ credentialIds }) =>
        answer('accounts', () => {
          const valid = new Set([...sessions.values()].map(({ credentialId }) => credentialId))
          return { credentialIds: credentialIds.filter((id) => valid.has(id)) }
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
  }
  return {
    ...{ policy, sessions, standings, universalRooms, requests, lookedUp, unavailable, routes },
    hold(service: ServiceName): () => void {
      let release = () => {}
      held.set(service, new Promise((resolve) => (release = resolve)))
      return () => {
        held.delete(service)
        release()
      }
    },
    signIn(userId: string, session: Partial<Session> = {}): string {
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
  }
}
