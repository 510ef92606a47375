import { randomBytes } from 'node:crypto'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'
import { credentialDigest } from '@parley/credentials'
import { ExternalIdentityAuthService } from '@parley/contracts/auth'
import { AccountsInternalService, SignInInternalService, type CallerSchema } from '@parley/contracts/internal'
import type { ServiceRoutes } from '@parley/rpc'

export const secretKey = 'a secret key that is long enough for tests'

type Caller = Extract<MessageInitShape<typeof CallerSchema>, { $typeName?: never }>
type SignInMethod = keyof typeof SignInInternalService.method
type IdentityMethod = keyof typeof ExternalIdentityAuthService.method
type Requested = { method: string; request: Record<string, unknown> }
type Answer = (request: Record<string, unknown>, setHeader: (name: string, value: string) => void) => object

export class Accounts {
  /** By digest in hex. */
  readonly callers = new Map<string, Caller>()
  readonly passwords = new Map<string, { password: string; userId: string }>()
  readonly requested: Requested[] = []
  readonly answers = new Map<SignInMethod | IdentityMethod, Answer>()
  /** Look-ups of credentials fail, as if the database of accounts were down. */
  isUnavailable = false
  /** Number of look-ups of credentials. */
  lookUps = 0
  /** Look-ups of credentials wait for this promise. */
  pause = Promise.resolve()

  /** Adds a valid credential of the user; returns its token or cookie handle. */
  credential(userId: string, caller: Caller = {}): string {
    const token = randomBytes(30).toString('hex').slice(0, 43)
    const inAnHour = timestampFromDate(new Date(Date.now() + 3_600_000))
    this.callers.set(digestOf(token), {
      ...{ userId, credentialId: `S${token.slice(0, 6)}`, rolesVersion: 1n, freshUntil: inAnHour, expiresAt: inAnHour },
      ...caller,
    })
    return token
  }

  /** A token that never counts as a recent sign-in, like the tokens of other web clients. */
  otherClientsToken(userId: string): string {
    const token = this.credential(userId)
    const known = this.callers.get(digestOf(token))
    delete known?.freshUntil
    return token
  }

  requests(method: string): Record<string, unknown>[] {
    return this.requested.filter((one) => one.method === method).map(({ request }) => request)
  }

  refuse(
    method: SignInMethod | IdentityMethod,
    code: Code,
    text = 'refused',
    metadata: Record<string, string> = {},
  ): void {
    this.answers.set(method, () => {
      throw new ConnectError(text, code, metadata)
    })
  }

  session(userId: string, login = userId.toLowerCase()) {
    const [token, cookieHandle] = [this.credential(userId), this.credential(userId)]
    return { userId, login, displayName: login, token, cookieHandle, lifetimeSeconds: 7_776_000 }
  }

  readonly routes = (routes: ServiceRoutes): void => {
    routes.service(AccountsInternalService, {
      authenticate: async ({ digests }) => {
        this.lookUps++
        await this.pause
        if (this.isUnavailable) throw new ConnectError('unavailable', Code.Unavailable)
        const entries = digests.flatMap((digest) => {
          const caller = this.callers.get(Buffer.from(digest).toString('hex'))
          return caller ? [{ digest, caller }] : []
        })
        return { entries }
      },
      rekeyCredentials: ({ entries }) => {
        for (const { previous, digest } of entries) {
          const [from, to] = [previous, digest].map((one) => Buffer.from(one).toString('hex'))
          const caller = this.callers.get(from ?? '')
          this.requested.push({ method: 'rekeyCredentials', request: { userId: caller?.userId } })
          this.callers.delete(from ?? '')
          if (caller && to) this.callers.set(to, caller)
        }
        return {}
      },
      passwordLogin: (request) => {
        this.requested.push({ method: 'passwordLogin', request: { ...request } })
        const known = this.passwords.get(request.identifier)
        if (known?.password !== request.password) throw new ConnectError('invalid credentials', Code.Unauthenticated)
        return this.session(known.userId, request.identifier)
      },
      endCredentials: (request) => {
        this.requested.push({ method: 'endCredentials', request: { ...request } })
        for (const digest of request.digests) this.callers.delete(Buffer.from(digest).toString('hex'))
        return {}
      },
    })
    routes.service(SignInInternalService, this.#recordingHandlers(SignInInternalService.method))
    routes.service(ExternalIdentityAuthService, this.#recordingHandlers(ExternalIdentityAuthService.method))
  }

  #recordingHandlers(methods: Record<string, unknown>): Record<string, never> {
    const handlers = Object.keys(methods).map((method) => [
      method,
      (request: object, context: { responseHeader: Headers }) => {
        this.requested.push({ method, request: { ...request } })
        const answer = this.answers.get(method as SignInMethod)
        return answer?.({ ...request }, (name, value) => context.responseHeader.set(name, value)) ?? {}
      },
    ])
    return Object.fromEntries(handlers) as Record<string, never>
  }
}

export const digestOf = (token: string): string => credentialDigest(secretKey, token).toString('hex')
