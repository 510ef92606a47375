import { randomBytes } from 'node:crypto'
import {
  authenticate,
  type CallerCache,
  type CredentialSecrets,
  isRemembered,
  presentedCredentials,
  type ReadHeader,
  type SignedIn,
} from '@parley/credentials'
import { methodPath } from '@parley/contracts/catalogue'
import type { CredentialAttempts } from '@parley/redis'
import { keyedMethods, type CallMeta, type Reply, type RpcClient } from '@parley/rpc'
import type { ClientAddress } from '@parley/runtime'
import type { PutBlob } from '../../clients/blobs.ts'
import { sessionStartedBy, type BrowserSession } from '../credentials/browser-session.ts'
import type { SessionRenewal } from '../credentials/renewal.ts'
import { badIdempotencyKey, imageTooLarge, tooManyUnauthenticated, unauthenticated } from '../../errors.ts'
import type { CallLimits } from './call-limits.ts'
import { extractImage } from './image-requests.ts'
import type { PublicMethod } from './methods.ts'

export type Client = {
  header: ReadHeader
  peer: string | undefined
  /** Aborts when the client disconnects. */
  signal: () => AbortSignal
}

/** A request that passed all checks that do not need its body. */
export type AdmittedCall = {
  method: PublicMethod
  caller: string | undefined
  callerId: string
  idempotencyKey: string | undefined
  /** Must be in every response, including failures. */
  cookies: string[]
}

type Options = {
  rpc: RpcClient
  callers: CallerCache
  secrets: CredentialSecrets
  renewal: SessionRenewal
  cookiesOf: (session: BrowserSession) => string[]
  limits: CallLimits
  credentialAttempts: CredentialAttempts
  clientAddress: ClientAddress
  putBlob: PutBlob
  maxUploadBytes: number
}

export const exposedReplyHeaders = ['idempotency-replayed', 'retry-after', 'parley-reason', 'parley-needs']

export class Forwarder {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /**
   * Runs before the body is read. Throws `unauthenticated`, `resource_exhausted`, or `invalid_argument` for a malformed
   * idempotency key.
   */
  async admit(method: PublicMethod, client: Client): Promise<AdmittedCall> {
    const { clientAddress, cookiesOf, limits, renewal } = this.#options
    const { header, peer } = client
    const known = method.needsCaller ? await this.#signedIn(client) : undefined
    if (known) limits.take(method.limit, known.caller.userId)
    else limits.takeFrom(method.limit, clientAddress(peer, header))
    const key = idempotencyKey(method, header('idempotency-key'))
    const renewed = renewal.isDue(known) ? await renewal.renew(known) : undefined
    return {
      method,
      caller: known?.encoded,
      callerId: known?.caller.userId ?? '',
      idempotencyKey: key,
      cookies: renewed ? cookiesOf(renewed) : [],
    }
  }

  /** Throws `unauthenticated`, and `resource_exhausted` after too many invalid credentials from the network. */
  async findCallerId(client: Client): Promise<string> {
    return (await this.#signedIn(client)).caller.userId
  }

  /** Counts a request that needs no credential and calls no method. Throws `resource_exhausted`. */
  admitAnyone(header: ReadHeader, peer: string | undefined): void {
    const { clientAddress, limits } = this.#options
    limits.takeFrom('read', clientAddress(peer, header))
  }

  send(admitted: AdmittedCall, body: Uint8Array, timeoutMs: number, traceparent: string | undefined): Promise<Reply> {
    return admitted.method.carriesImage
      ? this.#sendImage(admitted, body, { timeoutMs, traceparent })
      : this.#call(admitted, body, { timeoutMs, traceparent })
  }

  /** Sends the image to `uploads`; the call carries the id of the stored blob. */
  async #sendImage(admitted: AdmittedCall, body: Uint8Array, meta: CallMeta): Promise<Reply> {
    const { callerId, method } = admitted
    const { maxUploadBytes, putBlob } = this.#options
    const extracted = extractImage(method.method, body)
    if (!extracted) return this.#call(admitted, body, meta)
    if (extracted.image.length > maxUploadBytes) throw imageTooLarge(maxUploadBytes)
    const blob = await putBlob(extracted.image, { callerId, method: methodPath(method.method).slice(1) })
    return this.#call(admitted, extracted.rest, { ...meta, blob })
  }

  #call({ caller, idempotencyKey, method }: AdmittedCall, body: Uint8Array, meta: CallMeta): Promise<Reply> {
    return this.#options.rpc.call(method.method, body, { ...meta, caller, idempotencyKey })
  }

  /**
   * Invalid credentials count against the network of the client. The limit does not apply to a credential that was
   * valid when last checked.
   */
  async #signedIn({ header, peer, signal }: Client): Promise<SignedIn> {
    const { callers, clientAddress, secrets, credentialAttempts } = this.#options
    const presented = presentedCredentials(header, secrets)
    const attempt = { address: clientAddress(peer, header), isKnown: isRemembered(callers, presented), signal }
    const { found, waitMs } = await credentialAttempts.lookUp(attempt, () => authenticate(callers, presented))
    if (waitMs > 0) throw tooManyUnauthenticated(waitMs)
    if (!found) throw unauthenticated()
    return found
  }

  startedSessionCookies({ method }: AdmittedCall, answer: Reply): string[] {
    const session = sessionStartedBy(method, answer)
    return session ? this.#options.cookiesOf(session) : []
  }
}

/** With a key, the transport may repeat a call to which a server does not respond. */
function idempotencyKey({ method }: PublicMethod, given: string | undefined): string | undefined {
  if (!keyedMethods.has(method)) return undefined
  if (given === undefined) return `auto:${randomBytes(16).toString('base64url')}`
  if (!/^[\x21-\x7e]{1,128}$/.test(given)) throw badIdempotencyKey()
  return given
}
