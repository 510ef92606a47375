import { Code, ConnectError, newIdempotencyKey, type ParleyClient } from '@parley/client'
import type { Message } from '@parley/client/contract'
import { forgetUnsent, keepUnsent, unsentOf } from '../kept/unsent-store.ts'
import { Cell } from '../state/cell.ts'
import { nextToSend, placeOf, type Unsent, withoutPosted, withUnsent } from '../store/unsent.ts'

/** What somebody wants to say, and where. */
export type Written = Omit<Unsent, 'key' | 'userId' | 'writtenAt' | 'state' | 'reason' | 'messageId'>

const lasting = new Set([
  ...[Code.InvalidArgument, Code.PermissionDenied, Code.FailedPrecondition, Code.NotFound, Code.AlreadyExists],
])
const pauseMs = 3_000

/** Sends messages in the order they were written, one at a time per room or thread, until they are posted or refused. */
export class Sender {
  readonly queue = new Cell<readonly Unsent[]>([])
  readonly #server: ParleyClient
  readonly #userId: string
  readonly #onPosted: (unsent: Unsent, message: Message) => void
  #retry: ReturnType<typeof setTimeout> | undefined

  constructor(server: ParleyClient, userId: string, onPosted: (unsent: Unsent, message: Message) => void) {
    this.#server = server
    this.#userId = userId
    this.#onPosted = onPosted
  }

  /** Goes on with what a reload or crash left. */
  async resume(): Promise<void> {
    const left = await unsentOf(this.#userId)
    const waiting = left.map((one): Unsent => (one.state === 'refused' ? one : { ...one, state: 'waiting' }))
    this.queue.update((queue) => [...waiting, ...queue.filter(({ key }) => !waiting.some((one) => one.key === key))])
    this.sendWaiting()
  }

  send(written: Written): void {
    const key = newIdempotencyKey()
    const unsent: Unsent = { ...written, key, userId: this.#userId, writtenAt: Date.now(), state: 'waiting' }
    this.queue.update((queue) => [...queue, unsent])
    void keepUnsent(unsent).catch(() => undefined)
    void this.#sendNext(placeOf(unsent))
  }

  /** Sends everything that waits, at once: the server can be reached again. */
  sendWaiting(): void {
    clearTimeout(this.#retry)
    for (const place of new Set(this.queue.value.map(placeOf))) void this.#sendNext(place)
  }

  /** Sends a refused message once more. */
  sendAgain(key: string): void {
    const one = this.queue.value.find((unsent) => unsent.key === key)
    if (!one) return
    this.queue.update((queue) => withUnsent(queue, key, { state: 'waiting' }))
    void this.#sendNext(placeOf(one))
  }

  discard(key: string): void {
    this.queue.update((queue) => withUnsent(queue, key, undefined))
    void forgetUnsent(key).catch(() => undefined)
  }

  /** What has been read back need not be shown as unsent. */
  posted(ids: ReadonlySet<string>): void {
    this.queue.update((queue) => withoutPosted(queue, ids))
  }

  async #sendNext(place: string): Promise<void> {
    for (let one = nextToSend(this.queue.value, place); one; one = nextToSend(this.queue.value, place)) {
      if (!(await this.#send(one))) return
    }
  }

  /** Whether the next one may follow. */
  async #send(unsent: Unsent): Promise<boolean> {
    const { key, roomId, threadRootEventId, inReplyTo, alsoSendToChannel, body, linkPreviewToken } = unsent
    const attachmentAssetIds = [...unsent.attachmentAssetIds]
    this.queue.update((queue) => withUnsent(queue, key, { state: 'sending' }))
    try {
      const { message } = await this.#server.api.message.createMessage(
        { roomId, threadRootEventId, inReplyTo, alsoSendToChannel, body, attachmentAssetIds, linkPreviewToken },
        { headers: { 'idempotency-key': key } },
      )
      await forgetUnsent(key).catch(() => undefined)
      if (!message) return true
      this.queue.update((queue) => withUnsent(queue, key, { state: 'sent', messageId: message.id }))
      this.#onPosted(unsent, message)
      return true
    } catch (thrown) {
      const error = ConnectError.from(thrown)
      if (lasting.has(error.code)) {
        this.queue.update((queue) => withUnsent(queue, key, { state: 'refused', reason: error.rawMessage }))
        void keepUnsent({ ...unsent, state: 'refused', reason: error.rawMessage }).catch(() => undefined)
        return true
      }
      this.queue.update((queue) => withUnsent(queue, key, { state: 'waiting' }))
      clearTimeout(this.#retry)
      this.#retry = setTimeout(() => this.sendWaiting(), pauseMs)
      return false
    }
  }
}
