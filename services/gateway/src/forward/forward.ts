import { randomBytes } from 'node:crypto'
import type { Reply, RpcClient } from '@parley/rpc'
import { keyedMethods } from '@parley/rpc'
import { authenticate } from '../credentials/authenticate.ts'
import { sessionBegunBy, type BrowserSession } from '../credentials/browser-session.ts'
import type { CallerCache } from '../credentials/caller-cache.ts'
import { presentedCredentials, type ReadHeader, type Secrets } from '../credentials/presented.ts'
import type { SessionRenewal } from '../credentials/renewal.ts'
import { badIdempotencyKey, unauthenticated } from '../errors.ts'
import type { PublicMethod } from './methods.ts'

/** A request that passed the checks which do not look at its body. */
export type Admitted = {
  method: PublicMethod
  caller: string | undefined
  idempotencyKey: string | undefined
  /** Cookies of a browser session whose handle was just replaced: every answer must carry them, failures too. */
  cookies: string[]
}

type Options = {
  rpc: RpcClient
  callers: CallerCache
  secrets: Secrets
  renewal: SessionRenewal
  /** `Set-Cookie` values of a session. */
  cookiesOf: (session: BrowserSession) => string[]
}

/** Reply headers that clients may see. */
export const exposedReplyHeaders = ['idempotency-replayed', 'retry-after', 'parley-reason']

export class Forwarder {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /** Who calls, before anything looks at the body. */
  async admit(method: PublicMethod, header: ReadHeader): Promise<Admitted> {
    const { callers, cookiesOf, renewal, secrets } = this.#options
    const known = method.needsCaller ? await authenticate(callers, presentedCredentials(header, secrets)) : undefined
    if (method.needsCaller && !known) throw unauthenticated()
    const key = idempotencyKey(method, header('idempotency-key'))
    const renewed = renewal.isDue(known) ? await renewal.renew(known) : undefined
    return { method, caller: known?.encoded, idempotencyKey: key, cookies: renewed ? cookiesOf(renewed) : [] }
  }

  /** Sends the encoded request to the deployable that owns the method. */
  send(admitted: Admitted, body: Uint8Array, timeoutMs: number, traceparent: string | undefined): Promise<Reply> {
    const { caller, idempotencyKey, method } = admitted
    return this.#options.rpc.call(method.method, body, {
      timeoutMs,
      ...(caller !== undefined && { caller }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(traceparent !== undefined && { traceparent }),
    })
  }

  /** Cookies of the browser session that a call began; none for nearly all calls. */
  cookiesBegun({ method }: Admitted, answer: Reply): string[] {
    const begun = sessionBegunBy(method, answer)
    return begun ? this.#options.cookiesOf(begun) : []
  }
}

/** The client's key, or one of our own: with a key the transport may send a creation once more when a server is silent. */
function idempotencyKey({ method }: PublicMethod, given: string | undefined): string | undefined {
  if (!keyedMethods.has(method)) return undefined
  if (given === undefined) return `auto:${randomBytes(16).toString('base64url')}`
  if (!/^[\x21-\x7e]{1,128}$/.test(given)) throw badIdempotencyKey()
  return given
}
