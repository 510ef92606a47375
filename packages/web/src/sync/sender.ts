import { type Backoff, backoffMs, Code, ConnectError, newIdempotencyKey, type MemberClient } from '@parley/client'
import type { Message } from '@parley/client/contract'
import { hasOtherSignedIn } from '../storage/last-user.ts'
import { deleteUnsent, isStillUnsent, saveUnsent, loadUnsent } from '../storage/unsent-store.ts'
import { failureText } from '../session/failure-text.ts'
import { Cell } from '../state/cell.ts'
import { nextToSend, conversationOf, type Unsent, withoutPosted, withUnsent } from '../store/unsent.ts'

export type NewMessage = Omit<Unsent, 'key' | 'userId' | 'writtenAt' | 'state' | 'reason' | 'messageId'>

const permanent = new Set([
  ...[Code.InvalidArgument, Code.PermissionDenied, Code.FailedPrecondition, Code.NotFound, Code.AlreadyExists],
])
const backoff: Backoff = { initialMs: 2_000, maxMs: 60_000 }

/**
 * Sends messages in the order they were written, one at a time per room or thread, until they are posted or refused.
 * All tabs of a user share one queue on the device: each shows it, and the tab that holds the lock of a conversation
 * sends.
 */
export class Sender {
  readonly queue = new Cell<readonly Unsent[]>([])
  readonly #server: MemberClient
  readonly #userId: string
  readonly #onPosted: (unsent: Unsent, message: Message) => void
  readonly #others: BroadcastChannel
  readonly #storing = new Set<string>()
  /** Keys of messages this page has posted; the messages are deleted from the device a little later. */
  readonly #posted = new Set<string>()
  #retry: ReturnType<typeof setTimeout> | undefined
  /** Failed attempts since the server was last known to be reachable. */
  #failures = 0
  /** Whether the browser last reported no network, and since then no message was sent and no connection opened. */
  #isOffline = !navigator.onLine
  readonly #closed = new AbortController()

  constructor(server: MemberClient, userId: string, onPosted: (unsent: Unsent, message: Message) => void) {
    this.#server = server
    this.#userId = userId
    this.#onPosted = onPosted
    this.#others = new BroadcastChannel(`parley.unsent.${userId}`)
    this.#others.addEventListener('message', () => void this.resume().catch(() => undefined))
    const { signal } = this.#closed
    addEventListener('online', () => this.sendWaiting(), { signal })
    addEventListener('offline', () => (this.#isOffline = true), { signal })
  }

  /** Loads unsent messages from the device, after a reload or crash, or after a change by another tab. */
  async resume(): Promise<void> {
    const left = (await loadUnsent(this.#userId)).filter(({ key }) => !this.#posted.has(key))
    this.queue.update((queue) => {
      const own = queue.filter(
        ({ key, state }) =>
          state === 'sent' || state === 'sending' || this.#storing.has(key) || left.some((one) => one.key === key),
      )
      const added = left.filter(({ key }) => !own.some((one) => one.key === key))
      return [...added.map((one): Unsent => (one.state === 'refused' ? one : { ...one, state: 'waiting' })), ...own]
    })
    if (this.#isOffline) this.#sendLater()
    else this.sendWaiting()
  }

  /** Sends nothing more: another user may sign in. */
  close(): void {
    clearTimeout(this.#retry)
    this.#closed.abort()
    this.#others.close()
  }

  send(written: NewMessage): void {
    const key = newIdempotencyKey()
    const unsent: Unsent = { ...written, key, userId: this.#userId, writtenAt: Date.now(), state: 'waiting' }
    this.queue.update((queue) => [...queue, unsent])
    void this.#store(unsent).then(() => this.#sendNow(conversationOf(unsent)))
  }

  sendWaiting(): void {
    this.#isOffline = false
    this.#failures = 0
    this.#sendAll()
  }

  #sendAll(): void {
    clearTimeout(this.#retry)
    this.#retry = undefined
    for (const conversation of new Set(this.queue.value.map(conversationOf))) void this.#sendNext(conversation)
  }

  #sendLater(): void {
    if (this.#closed.signal.aborted) return
    this.#retry ??= setTimeout(
      () => this.#sendAll(),
      this.#isOffline ? backoff.maxMs : backoffMs(backoff, ++this.#failures),
    )
  }

  /**
   * Sends the messages of a conversation. Without network they are sent later: on the event `online`, when a connection
   * opens, or after a time.
   */
  #sendNow(conversation: string): void {
    if (this.#isOffline) this.#sendLater()
    else void this.#sendNext(conversation)
  }

  sendAgain(key: string): void {
    const one = this.queue.value.find((unsent) => unsent.key === key)
    if (!one) return
    this.queue.update((queue) => withUnsent(queue, key, { state: 'waiting' }))
    void this.#store({ ...one, state: 'waiting' }).then(() => this.#sendNow(conversationOf(one)))
  }

  discard(key: string): void {
    this.queue.update((queue) => withUnsent(queue, key, undefined))
    void this.#delete(key)
  }

  removePosted(ids: ReadonlySet<string>): void {
    this.queue.update((queue) => withoutPosted(queue, ids))
  }

  async #store(unsent: Unsent): Promise<void> {
    this.#storing.add(unsent.key)
    await saveUnsent(unsent).catch(() => undefined)
    this.#storing.delete(unsent.key)
    this.#notifyOthers()
  }

  async #delete(key: string): Promise<void> {
    await deleteUnsent(key).catch(() => undefined)
    this.#notifyOthers()
  }

  #notifyOthers(): void {
    const isClosed = this.#closed.signal.aborted
    const channel = isClosed ? new BroadcastChannel(this.#others.name) : this.#others
    channel.postMessage('changed')
    if (isClosed) channel.close()
  }

  async #sendNext(conversation: string): Promise<void> {
    for (let one = nextToSend(this.queue.value, conversation); one; one = nextToSend(this.queue.value, conversation)) {
      const next = one
      this.queue.update((queue) => withUnsent(queue, next.key, { state: 'sending' }))
      const lock = `parley.sending.${this.#userId}.${conversation}`
      if (!(await navigator.locks.request(lock, () => this.#send(next)))) return
    }
  }

  /** Returns whether the next message of the conversation may be sent. */
  async #send(unsent: Unsent): Promise<boolean> {
    const { key, roomId, threadRootEventId, inReplyTo, alsoSendToChannel, body, linkPreviewToken } = unsent
    const attachmentAssetIds = [...unsent.attachmentAssetIds]
    if (!(await isStillUnsent(key).catch(() => true))) {
      // Another tab has sent or discarded it.
      this.queue.update((queue) => withUnsent(queue, key, undefined))
      return true
    }
    if (this.#closed.signal.aborted || hasOtherSignedIn(this.#userId)) return false
    try {
      const { message } = await this.#server.api.message.createMessage(
        { roomId, threadRootEventId, inReplyTo, alsoSendToChannel, body, attachmentAssetIds, linkPreviewToken },
        { headers: { 'idempotency-key': key } },
      )
      this.#isOffline = false
      this.#failures = 0
      this.#posted.add(key)
      // Before anything is awaited: the timeline may already have the message, which must not be shown twice.
      const sent = message && ({ state: 'sent', messageId: message.id } as const)
      this.queue.update((queue) => withUnsent(queue, key, sent))
      if (message) this.#onPosted(unsent, message)
      await this.#delete(key)
      return true
    } catch (thrown) {
      const error = ConnectError.from(thrown)
      if (permanent.has(error.code)) {
        const refused = { state: 'refused', reason: failureText(thrown) } as const
        this.queue.update((queue) => withUnsent(queue, key, refused))
        void this.#store({ ...unsent, ...refused })
        return true
      }
      this.queue.update((queue) => withUnsent(queue, key, { state: 'waiting' }))
      this.#sendLater()
      return false
    }
  }
}
